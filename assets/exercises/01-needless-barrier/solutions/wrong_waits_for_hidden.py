# wrong
# fails: end
# says: ends while #42 sum is unfinished
import headway as hw

rounds = 8
size = 32

weights = hw.randn(size, size) * 0.1
total = hw.zeros(size)
for i in range(rounds):
    batch = hw.randn(size, size)
    hidden = (batch @ weights).relu()
    total = total + hidden.sum(axis=0)
hidden.wait_to_read()
print("rounds:", rounds)
