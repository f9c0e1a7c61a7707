import headway as hw
import torch

batches = 8
batch_size = 128
features = 2048
hidden = 1024
prepare = "ahead"


def prepared():
    """A minibatch, on the CPU: values, and what is made of them."""
    batch = torch.randn(batch_size, features)
    return batch * 0.5 + 0.1


# make data and network
labels = torch.ones(batch_size, 1, device="cuda")
w1 = (torch.randn(features, hidden, device="cuda") * 0.01).requires_grad_()
w2 = (torch.randn(hidden, 1, device="cuda") * 0.01).requires_grad_()
torch.cuda.synchronize()
trainer = torch.optim.SGD([w1, w2], lr=0.01)
hw.measure()

# issue
for _ in range(batches):
    with hw.minibatch():
        with hw.scope("prepare"):
            batch = prepared().pin_memory().to("cuda", non_blocking=True)
        if prepare == "in turn":
            torch.cuda.synchronize()
        with hw.scope("train"):
            for _ in range(3):
                trainer.zero_grad()
                loss = ((torch.mm(torch.relu(torch.mm(batch, w1)), w2) - labels) ** 2).mean()
                loss.backward()
                trainer.step()
        if prepare == "in turn":
            torch.cuda.synchronize()

# wait
torch.cuda.synchronize()
print("loss %.4f" % loss.item())
