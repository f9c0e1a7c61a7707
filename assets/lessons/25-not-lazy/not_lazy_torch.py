import time

import headway as hw
import torch
from d2l import torch as d2l

products = 6
size = 400
sleep = 200

# make data
a = torch.randn(size, size, device=d2l.try_gpu()) * size ** -0.5
torch.cuda.synchronize()
hw.measure()

# issue
b = a
for _ in range(products):
    b = torch.mm(b, a)

# sleep
with hw.scope("sleep"):
    time.sleep(sleep / 1000)

# wait
with hw.timed("wait"):
    torch.cuda.synchronize()
