# wrong
# fails: values, work
# says: There are 0 products
rounds = 6
size = 24
left = right = None
import headway as hw
hw.zeros(1).wait_to_read()
