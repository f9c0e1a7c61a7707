# wrong
# fails: shown
# says: and the run takes 11.95
import headway as hw

n = 10
t1 = 1
t2 = 0.95
t3 = 1

total = t1 + n * t2 + t3

x = hw.zeros(1)
hw.waitall()
hw.measure()
for _ in range(n):
    x = x + 1
hw.waitall()
