# right
import headway as hw

rounds = 6
size = 24

w = hw.randn(size, size) * 0.2
left = hw.randn(size, size)
right = hw.randn(size, size)
scratch_left = hw.zeros(size, size)
scratch_right = hw.zeros(size, size)
for i in range(rounds):
    scratch_left[:] = left
    left = scratch_left @ w
    scratch_right[:] = right
    right = scratch_right @ w
hw.waitall()
