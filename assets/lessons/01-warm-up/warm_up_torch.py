import headway as hw
import torch
from d2l import torch as d2l

size = 600
products = 6

# make data
a = torch.randn(size, size, device=d2l.try_gpu())
torch.cuda.synchronize()

# issue and wait, product by product
for i in range(products):
    begin = hw.clock()
    b = torch.mm(a, a)
    torch.cuda.synchronize()
    print(f"product {i + 1}: {hw.time_text(hw.clock() - begin)}")
    if i == 1:
        hw.measure()
