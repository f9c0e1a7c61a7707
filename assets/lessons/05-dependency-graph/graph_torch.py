import torch
from d2l import torch as d2l

device = d2l.try_gpu()
x = torch.ones((1, 2), device=device)
y = torch.ones((1, 2), device=device)
z = x * y + 2
print(z)
