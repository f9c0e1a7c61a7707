# wrong
# fails: idle
# says: The program has 7 waits like this
import headway as hw

rounds = 16
size = 32

weights = hw.randn(size, size) * 0.1
total = hw.zeros(size)
for i in range(rounds):
    batch = hw.randn(size, size)
    hidden = (batch @ weights).relu()
    total = total + hidden.sum(axis=0)
    if i % 2 == 1:
        hw.waitall()
total.wait_to_read()
