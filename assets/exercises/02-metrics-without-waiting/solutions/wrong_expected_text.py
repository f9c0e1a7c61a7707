# wrong
# fails: values, work
# says: 1 product for 10
import headway as hw

batches = 10
size = 24
mean_loss = 1.0
x = hw.randn(size, size) @ hw.randn(size, size)
x.wait_to_read()
print("mean loss: 1.0344")
