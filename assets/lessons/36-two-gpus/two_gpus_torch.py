import headway as hw
import torch

products = 10
size = 500
copies = 4


def chain(device):
    y = results[device]
    for _ in range(products):
        y = y @ weights[device]
    results[device] = y


def send(device):
    return [results[device].to("cpu", non_blocking=True) for _ in range(copies)]


def wait():
    for device in (first, second):
        torch.cuda.synchronize(device)


# make data
first, second = "cuda:0", "cuda:1"
weights, results = {}, {}
for device in (first, second):
    weights[device] = torch.randn(size, size, device=device) * size ** -0.5
    results[device] = torch.randn(size, size, device=device)
results[first].to("cpu")
wait()
hw.measure()

# compute
with hw.timed("one computes"):
    chain(first)
    wait()
with hw.timed("both compute"):
    chain(first)
    chain(second)
    wait()

# copy
with hw.timed("one copies"):
    sent = send(first)
    wait()
with hw.timed("both copy"):
    sent = send(first)
    sent += send(second)
    wait()
