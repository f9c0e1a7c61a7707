import headway as hw
import torch
from d2l import torch as d2l

steps = 12
size = 1000
decide = "each"
device = d2l.try_gpu()

# make data
a = torch.randn(size, size, device=device)
total = torch.zeros(1, device=device)
torch.cuda.synchronize()
hw.measure()

# issue, and decide
for _ in range(steps):
    total = torch.mm(a, a).sum() * 0.5 + total * 0.5
    if decide == "each":
        if total > 0:
            a = a * 0.5
    else:
        a = a * 0.5

# wait
torch.cuda.synchronize()
