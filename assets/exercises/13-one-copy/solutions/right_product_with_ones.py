# right
import headway as hw

rows = 12
size = 16

table = hw.randn(rows, size)
squares = table * table
norms = [row[0] for row in (squares @ hw.ones(size, 1)).tolist()]
print("largest:", max(norms))
