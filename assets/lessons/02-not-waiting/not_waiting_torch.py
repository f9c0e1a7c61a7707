import headway as hw
import torch
from d2l import torch as d2l

reps = 10
size = 1000
wait = "once"
device = d2l.try_gpu()


def product():
    a = torch.randn(size, size, device=device)
    return torch.mm(a, a)


# warm up
product()
torch.cuda.synchronize()
hw.measure()

with hw.timed("finished"):
    # issue
    with hw.timed("issued"):
        for _ in range(reps):
            b = product()
            if wait == "each":
                torch.cuda.synchronize()
    # wait
    torch.cuda.synchronize()
