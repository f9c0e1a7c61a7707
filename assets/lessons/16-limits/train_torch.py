import headway as hw
import torch
from d2l import torch as d2l
from torch import nn

batches = 30
batch_size = 256
features = 64
hidden = 256
lr = 0.01
device = d2l.try_gpu()

# make data and network
narrow = max(hidden // 4, 1)
net = nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, narrow), nn.ReLU(), nn.Linear(narrow, 1))
net.to(device)
labels = torch.ones(batch_size, 1, device=device)
square = nn.MSELoss()
torch.cuda.synchronize()
hw.measure()
trainer = torch.optim.SGD(net.parameters(), lr=lr)

# issue
losses = []
with hw.scope("training"):
    for _ in range(batches):
        trainer.zero_grad()
        loss = square(net(torch.randn(batch_size, features, device=device)), labels)
        loss.backward()
        trainer.step()  # it ends the minibatch
        losses.append(loss.detach())  # kept as a tensor, not read
    # wait
    torch.cuda.synchronize()
print(f"loss of the last minibatch {losses[-1].item():.4f}")
