# wrong
# fails: time
# says: ops, and 16 are enough
import headway as hw

rounds = 6
size = 24

w = hw.randn(size, size) * 0.2
left = hw.randn(size, size)
right = hw.randn(size, size)
for i in range(rounds):
    left = left @ w
    for k in range(20):
        left = left * 1
    hw.waitall()
    right = right @ w
    for k in range(20):
        right = right * 1
hw.waitall()
