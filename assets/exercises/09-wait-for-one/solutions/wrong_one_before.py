# wrong
# fails: on
# says: executes 3 ops of the others, first #3 add
import headway as hw

others = 6
size = 24

a = hw.randn(size, size) * 0.1
sums = [(a @ (a + 0)).sum()]
b = (a @ a).sum()
for i in range(1, others):
    sums.append((a @ (a + i)).sum())
value = b.item()
print("value:", value)
hw.waitall()
