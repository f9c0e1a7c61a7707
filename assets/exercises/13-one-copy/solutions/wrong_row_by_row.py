# wrong
# fails: copies, ops, device
# says: copies values to the frontend 12 times
import headway as hw

rows = 12
size = 16

table = hw.randn(rows, size)
norms = []
for i in range(rows):
    row = table[i]
    norms.append((row * row).sum().item())
print("largest:", max(norms))
