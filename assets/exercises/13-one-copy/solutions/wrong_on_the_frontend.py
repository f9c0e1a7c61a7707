# wrong
# fails: device
# says: No op on the backend
import headway as hw

rows = 12
size = 16

table = hw.randn(rows, size)
norms = [sum(v * v for v in row) for row in table.tolist()]
print("largest:", max(norms))
