# wrong
# fails: values, work
# says: it should be
import headway as hw

steps = 10
size = 16
total = hw.zeros(1).item()
