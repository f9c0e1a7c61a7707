# wrong
# fails: time
# says: ops, and 83 are enough
import headway as hw

rounds = 16
size = 32

weights = hw.randn(size, size) * 0.1
total = hw.zeros(size)
tiny = hw.zeros(1)
for i in range(rounds):
    previous = total
    for k in range(3):
        tiny + 1
    batch = hw.randn(size, size)
    hidden = (batch @ weights).relu()
    total = total + hidden.sum(axis=0)
    previous.wait_to_read()
total.wait_to_read()
