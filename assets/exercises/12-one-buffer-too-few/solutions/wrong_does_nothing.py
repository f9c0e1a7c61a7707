# wrong
# fails: values, work
# says: The run has 0 products
rounds = 6
size = 24
left = right = None
import headway as hw
hw.zeros(1).wait_to_read()
