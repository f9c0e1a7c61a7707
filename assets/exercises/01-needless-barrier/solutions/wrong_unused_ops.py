# wrong
# fails: time
# says: The run has 203 ops, and 43 are enough
import headway as hw

rounds = 8
size = 32

weights = hw.randn(size, size) * 0.1
total = hw.zeros(size)
for i in range(rounds):
    batch = hw.randn(size, size)
    hidden = (batch @ weights).relu()
    for k in range(20):
        hidden + 1
    total = total + hidden.sum(axis=0)
total.wait_to_read()
print("rounds:", rounds)
