import headway as hw
import torch
from d2l import torch as d2l

products = 10
size = 400

# make data
a = torch.randn(size, size, device=d2l.try_gpu()) * size ** -0.5
torch.cuda.synchronize()
hw.measure()

# issue
b = a
for _ in range(products):
    b = torch.mm(b, a)

# print twice
with hw.timed("first print"):
    print(b.mean())
with hw.timed("second print"):
    print(b.mean())
