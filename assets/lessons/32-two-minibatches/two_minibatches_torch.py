import time

import headway as hw
import torch
from d2l import torch as d2l

batches = 12
behind = 1
pause = 150
device = d2l.try_gpu()

# make data
w = torch.randn(512, 1024, device=device) * 0.05
torch.cuda.synchronize()
hw.barrier("behind:%d" % behind)
hw.measure()

# issue
for i in range(batches):
    with hw.minibatch():
        x = torch.randn(1024, 512, device=device)
        hidden = torch.relu(torch.mm(x, w))
        loss = (hidden * hidden).mean()
    if i % 4 == 3:
        time.sleep(pause / 1e6)

# wait
torch.cuda.synchronize()
