# wrong
# fails: values, copies
# says: is not the list
import headway as hw

rows = 12
size = 16

table = hw.randn(rows, size)
norms = (table * table).sum(axis=1)
hw.waitall()
