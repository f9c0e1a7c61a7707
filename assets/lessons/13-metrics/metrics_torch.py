import headway as hw
import torch
from d2l import torch as d2l

batches = 20
report = "end"
device = d2l.try_gpu()

# make data
features = torch.randn(1024, 1024, device=device) * 0.03
weight = torch.randn(1024, 1, device=device) * 0.03
torch.cuda.synchronize()
hw.measure()

# issue, and report
losses = []
for i in range(batches):
    with hw.minibatch():
        hidden = torch.relu(torch.mm(torch.randn(512, 1024, device=device), features))
        error = torch.mm(hidden, weight) - 1.0
        loss = (error * error).mean()
        weight = weight - torch.mm(hidden.t(), error) * 0.00001
        if report == "each":
            print(f"minibatch {i + 1}: {loss.item():.4f}")
        losses.append(loss)

# reduce, and wait
total = losses[0]
for loss in losses[1:]:
    total = total + loss
print(f"mean loss: {total.item() / len(losses):.4f}")
