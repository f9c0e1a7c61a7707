# wrong
# fails: time
# says: are enough
import headway as hw
import time

rows = 12
size = 16

table = hw.randn(rows, size)
time.sleep(0.001)
norms = (table * table).sum(axis=1).tolist()
print("largest:", max(norms))
