# wrong
# fails: values
# says: is not the list
import headway as hw

rows = 12
size = 16

table = hw.randn(rows, size)
norms = (table * table).sum(axis=0).tolist()
print("largest:", max(norms))
