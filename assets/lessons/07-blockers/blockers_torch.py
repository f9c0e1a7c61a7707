import headway as hw
import torch
from d2l import torch as d2l

size = 300

# make data
a = torch.randn(size, size, device=d2l.try_gpu())
b = torch.mm(a, a).sum()
b.cpu().numpy()  # warm-up; the first time, NumPy is imported
torch.cuda.synchronize()
hw.measure()

with hw.timed("shape"):
    b = torch.mm(a, a)
    shape = b.shape
torch.cuda.synchronize()

with hw.timed("print"):
    b = torch.mm(a, a).sum()
    print(b)

with hw.timed("item"):
    b = torch.mm(a, a).sum()
    value = b.item()

with hw.timed("float"):
    b = torch.mm(a, a).sum()
    value = float(b)

with hw.timed("numpy"):
    b = torch.mm(a, a)
    values = b.cpu().numpy()
