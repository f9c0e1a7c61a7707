# wrong
# fails: time
# says: are enough
import headway as hw
import time

steps = 10
size = 16

total = hw.zeros(1)
for i in range(steps):
    mean = hw.randn(size, size).mean()
    total = total + mean.relu()
time.sleep(0.01)
total = total.item()
