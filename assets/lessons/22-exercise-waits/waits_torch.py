import headway as hw
import torch
from d2l import torch as d2l

before = 3
after = 6
size = 400

# make data
a = torch.randn(size, size, device=d2l.try_gpu()) * size ** -0.5


def issue():
    middle = a
    for _ in range(before):
        middle = torch.mm(middle, a)
    done = torch.cuda.Event()
    done.record()
    end = middle
    for _ in range(after):
        end = torch.mm(end, a)
    return done, end


done, end = issue()  # warm-up
torch.cuda.synchronize()
done, end = issue()
torch.cuda.synchronize()
hw.measure()

# issue, and wait for the first products
with hw.timed("event"):
    done, end = issue()
    done.synchronize()
torch.cuda.synchronize()

# issue, and wait for all
with hw.timed("synchronize"):
    done, end = issue()
    torch.cuda.synchronize()
