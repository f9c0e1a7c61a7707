import headway as hw
import torch
from d2l import torch as d2l

steps = 8
size = 400
wait = "once"

# make data
a = torch.randn(size, size, device=d2l.try_gpu()) * size ** -0.5
torch.cuda.synchronize()
hw.measure()

# issue
for _ in range(steps):
    b = torch.mm(a, a)
    if wait == "each":
        torch.cuda.synchronize()

# wait
torch.cuda.synchronize()
