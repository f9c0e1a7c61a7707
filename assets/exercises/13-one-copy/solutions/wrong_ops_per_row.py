# wrong
# fails: ops
# says: ops for 12 rows
import headway as hw

rows = 12
size = 16

table = hw.randn(rows, size)
squares = table * table
rows_of = [squares[i].sum() for i in range(rows)]
norms = (table * table).sum(axis=1).tolist()
print("largest:", max(norms))
