import headway as hw
import torch
from d2l import torch as d2l
from torch import nn

batches = 6
hidden = 2048
wait_for = "loss"
device = d2l.try_gpu()

# make data and network
net = nn.Sequential(nn.Linear(512, hidden), nn.ReLU(), nn.Linear(hidden, 1)).to(device)
net(torch.randn(1024, 512, device=device))
trainer = torch.optim.SGD(net.parameters(), lr=0.01)
loss = nn.MSELoss()
torch.cuda.synchronize()
hw.measure()

# issue, and wait
for _ in range(batches):
    x = torch.randn(1024, 512, device=device)
    y = torch.ones(1024, 1, device=device)
    l = loss(net(x), y)
    trainer.zero_grad()
    l.backward()
    trainer.step()
    if wait_for == "loss":
        l.item()
    else:
        torch.cuda.synchronize()
torch.cuda.synchronize()
