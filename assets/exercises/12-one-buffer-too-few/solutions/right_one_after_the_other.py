# right
import headway as hw

rounds = 6
size = 24

w = hw.randn(size, size) * 0.2
left = hw.randn(size, size)
right = hw.randn(size, size)
for i in range(rounds):
    left = left @ w
for i in range(rounds):
    right = right @ w
hw.waitall()
