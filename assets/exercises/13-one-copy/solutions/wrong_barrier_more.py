# wrong
# fails: copies
# says: 2 copies to the frontend
import headway as hw

rows = 12
size = 16

table = hw.randn(rows, size)
norms = (table * table).sum(axis=1).tolist()
table.tolist()
print("largest:", max(norms))
