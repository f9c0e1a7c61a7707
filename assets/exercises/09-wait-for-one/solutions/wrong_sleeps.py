# wrong
# fails: on
# says: executes 18 ops of the others
import headway as hw
import time

others = 6
size = 24

a = hw.randn(size, size) * 0.1
first = (a @ a).sum()
sums = []
for i in range(others):
    sums.append((a @ (a + i)).sum())
time.sleep(0.01)
value = first.item()
print("value:", value)
hw.waitall()
