# wrong
# fails: end
# says: waits 2 times, and once
import headway as hw

rounds = 8
size = 32

weights = hw.randn(size, size) * 0.1
total = hw.zeros(size)
for i in range(rounds):
    batch = hw.randn(size, size)
    hidden = (batch @ weights).relu()
    total = total + hidden.sum(axis=0)
total.wait_to_read()
hw.waitall()
print("rounds:", rounds)
