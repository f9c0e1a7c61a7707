# right
import headway as hw

steps = 10
size = 16

total = hw.zeros(1)
for i in range(steps):
    mean = hw.randn(size, size).mean()
    total = total + mean * (mean > 0)
total = total.item()
