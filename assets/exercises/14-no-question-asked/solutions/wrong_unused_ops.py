# wrong
# fails: time
# says: The run has 551 ops, and 41 are enough
import headway as hw

steps = 10
size = 16

total = hw.zeros(1)
for i in range(steps):
    mean = hw.randn(size, size).mean()
    total = total + mean * (mean > 0)
for k in range(500):
    mean + 1
total = total.item()
