# wrong
# fails: free
# says: assign_slice_ belongs to right, and waits for #17 matmul, a product of left
import headway as hw

rounds = 6
size = 24

w = hw.randn(size, size) * 0.2
left = hw.randn(size, size)
right = hw.randn(size, size)
scratch = hw.zeros(size, size)
for i in range(rounds):
    scratch[:] = left
    left = scratch @ w
for i in range(rounds):
    scratch[:] = right
    right = scratch @ w
hw.waitall()
