import headway as hw
import torch
from d2l import torch as d2l

pairs = 6
size = 400
depend = "independent"
device = d2l.try_gpu()

# make data
a = torch.randn(size, size, device=device) * size ** -0.5
b = torch.randn(size, size, device=device) * size ** -0.5
torch.cuda.synchronize()
hw.measure()

# issue
for _ in range(pairs):
    if depend == "independent":
        c = torch.mm(a, a)
        d = torch.mm(b, b)
    else:
        a = torch.mm(a, b)
        a = torch.mm(a, b)

# wait
torch.cuda.synchronize()
