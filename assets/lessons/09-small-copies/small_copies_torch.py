import headway as hw
import numpy
import torch
from d2l import torch as d2l

steps = 20
size = 600
copy = "each"
device = d2l.try_gpu()

# make data
a = torch.randn(size, size, device=device) * 0.01
row = a[0]
numpy.maximum(row.cpu().numpy(), 0)  # warm-up
torch.cuda.synchronize()
hw.measure()

# issue, and copy
for _ in range(steps):
    row = torch.mm(a, a)[0] + row
    if copy == "each":
        row = torch.tensor(numpy.maximum(row.cpu().numpy(), 0), device=device)
    else:
        row = torch.relu(row)

# wait
values = row.cpu().numpy()
print("mean of the row: %.4f" % values.mean())
