# wrong
# fails: copies
# says: copies values to the frontend 2 times
import headway as hw

rows = 12
size = 16

table = hw.randn(rows, size)
norms = (table * table).sum(axis=1).tolist()
table.tolist()
print("largest:", max(norms))
