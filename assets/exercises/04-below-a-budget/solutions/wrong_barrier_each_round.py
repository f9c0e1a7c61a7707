# wrong
# fails: idle
# says: no op is left in the queue
import headway as hw

rounds = 16
size = 32

weights = hw.randn(size, size) * 0.1
total = hw.zeros(size)
for i in range(rounds):
    previous = total
    batch = hw.randn(size, size)
    hidden = (batch @ weights).relu()
    total = total + hidden.sum(axis=0)
    total.wait_to_read()
total.wait_to_read()
