import headway as hw
import torch
from d2l import torch as d2l

size = 600
others = 6

# make data
a = torch.randn(size, size, device=d2l.try_gpu())
b = torch.mm(a, a)
done = torch.cuda.Event()
torch.cuda.synchronize()
hw.measure()

# issue, and wait for one
with hw.timed("event"):
    b = torch.mm(a, a)
    done.record()
    rest = [torch.mm(a, a) for _ in range(others)]
    done.synchronize()
torch.cuda.synchronize()

# issue, and wait for all
with hw.timed("synchronize"):
    b = torch.mm(a, a)
    rest = [torch.mm(a, a) for _ in range(others)]
    torch.cuda.synchronize()
