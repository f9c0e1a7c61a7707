import headway as hw
import torch
from collections import deque
from d2l import torch as d2l

batches = 12
size = 600
ahead = 1

# make data
a = torch.randn(size, size, device=d2l.try_gpu())
torch.cuda.synchronize()
hw.measure()

# issue, and wait for an earlier minibatch
ends = deque()
for i in range(batches):
    with hw.minibatch():
        hidden = torch.mm(a, a)
        loss = (hidden * hidden).sum()
    ends.append(torch.cuda.Event())
    ends[-1].record()
    if len(ends) > ahead:
        ends.popleft().synchronize()

# wait
torch.cuda.synchronize()
