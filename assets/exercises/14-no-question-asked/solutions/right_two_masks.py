# right
import headway as hw

steps = 10
size = 16

total = hw.zeros(1)
for i in range(steps):
    mean = hw.randn(size, size).mean()
    add = mean > 0
    total = (total + mean) * add + total * (1 - add)
total = total.item()
