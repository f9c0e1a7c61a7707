# wrong
# fails: values
# says: not that of
import headway as hw

others = 6
size = 24

a = hw.randn(size, size) * 0.1
first = (a @ a).sum()
sums = []
for i in range(others):
    sums.append((a @ (a + i)).sum())
value = first
hw.waitall()
