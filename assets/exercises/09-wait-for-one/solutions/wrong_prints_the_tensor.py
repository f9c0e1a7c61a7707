# wrong
# fails: one
# says: asks for a value 2 times, and once is enough
import headway as hw

others = 6
size = 24

a = hw.randn(size, size) * 0.1
b = (a @ a).sum()
sums = []
for i in range(others):
    sums.append((a @ (a + i)).sum())
print("value:", b)
value = b.item()
sums[-1].wait_to_read()
