# wrong
# fails: time
# says: are enough
import headway as hw

size = 24

a = hw.randn(size, size)
row = (a @ a).sum(axis=0)
other = hw.randn(size, size)
rest = (other @ other).relu()
rest.wait_to_read()
best = row.max().item()
print("best:", best)
