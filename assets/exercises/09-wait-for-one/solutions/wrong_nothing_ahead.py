# wrong
# fails: ahead
# says: 4 of 22 ops have been issued
import headway as hw

others = 6
size = 24

a = hw.randn(size, size) * 0.1
first = (a @ a).sum()
value = first.item()
sums = []
for i in range(others):
    sums.append((a @ (a + i)).sum())
print("value:", value)
hw.waitall()
