# right
import headway as hw

rows = 12
size = 16

table = hw.randn(rows, size)
norms = list((table * table).sum(axis=1).numpy())
print("largest:", max(norms))
