# wrong
# fails: time
# says: are enough
import headway as hw

size = 24

a = hw.randn(size, size)
row = (a @ a).sum(axis=0)
best = row.max().item()
other = hw.randn(size, size)
rest = (other @ other).relu()
rest.wait_to_read()
print("best:", best)
