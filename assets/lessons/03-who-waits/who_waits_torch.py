import headway as hw
import numpy
import torch
from d2l import torch as d2l

size = 700
reps = 10
device = d2l.try_gpu()

# Warm-up of both: what is measured is neither an import nor fresh memory.
b = numpy.dot(numpy.random.normal(size=(size, size)), numpy.ones((size, size)))
b = torch.mm(torch.randn(size, size, device=device), torch.ones(size, size, device=device))
torch.cuda.synchronize()
hw.measure()

with hw.timed("NumPy, on the frontend"):
    for _ in range(reps):
        a = numpy.random.normal(size=(size, size))
        b = numpy.dot(a, a)

with hw.timed("queue, issued"):
    for _ in range(reps):
        a = torch.randn(size, size, device=device)
        b = torch.mm(a, a)
torch.cuda.synchronize()

with hw.timed("queue, finished"):
    for _ in range(reps):
        a = torch.randn(size, size, device=device)
        b = torch.mm(a, a)
    torch.cuda.synchronize()
