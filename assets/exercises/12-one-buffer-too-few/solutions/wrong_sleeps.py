# wrong
# fails: time
# says: are enough
import headway as hw
import time

rounds = 6
size = 24

w = hw.randn(size, size) * 0.2
left = hw.randn(size, size)
right = hw.randn(size, size)
for i in range(rounds):
    left = left @ w
    time.sleep(0.001)
    right = right @ w
hw.waitall()
