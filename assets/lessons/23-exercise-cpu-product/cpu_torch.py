import torch
from d2l import torch as d2l

reps = 5
size = 500

with d2l.Benchmark("issued"):
    for _ in range(reps):
        a = torch.randn(size, size)
        b = torch.mm(a, a)

with d2l.Benchmark("finished"):
    for _ in range(reps):
        a = torch.randn(size, size)
        b = torch.mm(a, a)
    b.numpy()
