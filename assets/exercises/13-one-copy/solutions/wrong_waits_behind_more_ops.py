# wrong
# fails: time
# says: are enough for 6 ops
import headway as hw

rows = 12
size = 16

table = hw.randn(rows, size)
for k in range(3):
    table + 1
hw.waitall()
squares = table * table
hw.waitall()
norms = squares.sum(axis=1)
hw.waitall()
norms = norms.tolist()
print("largest:", max(norms))
