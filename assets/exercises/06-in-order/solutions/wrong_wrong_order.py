# wrong
# fails: runs
# says: is not defined
import headway as hw

size = 24

a = hw.randn(size, size)
other = hw.randn(size, size)
rest = (other @ other).relu()
best = row.max().item()
rest.wait_to_read()
row = (a @ a).sum(axis=0)
print("best:", best)
