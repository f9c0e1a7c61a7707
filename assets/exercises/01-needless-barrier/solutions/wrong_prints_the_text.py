# wrong
# fails: values
# says: its values are not those
import headway as hw

rounds = 8
size = 32
total = hw.zeros(size)
total.wait_to_read()
print("rounds:", rounds)
