# wrong
# fails: shown
# says: and the run takes
import headway as hw
from time import sleep

n = 10
t1 = 1
t2 = 0.95
t3 = 1

total = max(t1 + n * t2, n * t1 + t2) + t3

x = hw.zeros(1)
hw.waitall()
hw.measure()
sleep(0.001)
for _ in range(n):
    x = x + 1
hw.waitall()
