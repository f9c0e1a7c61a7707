# wrong
# fails: on
# says: executes 18 ops of the others
import headway as hw

others = 6
size = 24

a = hw.randn(size, size) * 0.1
b = a @ a
sums = []
for i in range(others):
    sums.append((a @ (a + i)).sum())
hw.waitall()
value = b.sum().item()
print("value:", value)
