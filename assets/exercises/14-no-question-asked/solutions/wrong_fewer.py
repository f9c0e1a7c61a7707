# wrong
# fails: values, work
# says: 7 random matrices for 10 steps
import headway as hw

steps = 10
size = 16

total = hw.zeros(1)
for i in range(steps - 3):
    mean = hw.randn(size, size).mean()
    total = total + mean.relu()

total = total.item()
