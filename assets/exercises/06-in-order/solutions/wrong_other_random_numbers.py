# wrong
# fails: values
# says: has another value
import headway as hw

size = 24

other = hw.randn(size, size)
a = hw.randn(size, size)
row = (a @ a).sum(axis=0)
rest = (other @ other).relu()
best = row.max().item()
rest.wait_to_read()
print("best:", best)
