# wrong
# fails: time
# says:  are enough
import headway as hw
import time

rounds = 8
size = 32

weights = hw.randn(size, size) * 0.1
total = hw.zeros(size)
for i in range(rounds):
    time.sleep(0.001)
    batch = hw.randn(size, size)
    hidden = (batch @ weights).relu()
    total = total + hidden.sum(axis=0)
total.wait_to_read()
print("rounds:", rounds)
