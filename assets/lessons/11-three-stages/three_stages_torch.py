import headway as hw
import torch
from d2l import torch as d2l

n = 200
wait = "once"
size = 2

# make data
x = torch.ones(1, size, device=d2l.try_gpu())
y = x + 1
torch.cuda.synchronize()
hw.measure()

# issue
for _ in range(n):
    y = x + 1
    if wait == "each":
        torch.cuda.synchronize()

# wait
if wait == "once":
    torch.cuda.synchronize()
