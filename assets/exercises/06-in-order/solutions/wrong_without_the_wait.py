# wrong
# fails: lines
# says: is missing
import headway as hw

size = 24

a = hw.randn(size, size)
row = (a @ a).sum(axis=0)
other = hw.randn(size, size)
rest = (other @ other).relu()
best = row.max().item()
print("best:", best)
