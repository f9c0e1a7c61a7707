import headway as hw
import torch
from d2l import torch as d2l

steps = 40
size = 500

# make data
a = torch.randn(size, size, device=d2l.try_gpu())
torch.cuda.synchronize()
hw.measure()

# issue
for _ in range(steps):
    b = torch.mm(a, a)
    c = b * 0.5 + a

# wait
torch.cuda.synchronize()
