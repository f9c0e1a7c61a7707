"""What the programs share, and the list of them."""

import torch

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def grid(dev, rows=4, columns=6):
    return torch.arange(float(rows * columns)).reshape(rows, columns).to(dev)


def train(dev, net, X, y, optimizer, loss, steps=4):
    """Losses and parameters after some steps."""
    net, X, y = net.to(dev), X.to(dev), y.to(dev)
    opt = optimizer(net.parameters())
    losses = []
    for _ in range(steps):
        opt.zero_grad()
        value = loss(net(X), y)
        value.backward()
        opt.step()
        losses.append(value.detach())
    return losses + [p.detach() for p in net.parameters()]


def regression(n=32):
    X = torch.randn(n, 3)
    return X, X @ torch.tensor([[1.0], [-2.0], [0.5]]) + 3


def classes(n=48, features=5, k=3):
    X = torch.randn(n, features)
    return X, (X @ torch.randn(features, k)).argmax(1)
