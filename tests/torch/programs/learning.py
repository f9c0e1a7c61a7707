"""Gradients, training, networks."""

import copy
import io
import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from programs.common import classes, grid, program, regression, train


# --- autograd ---


@program
def gradient(dev):
    x = torch.arange(4.0, device=dev, requires_grad=True)
    y = 2 * torch.dot(x, x)
    y.backward()
    first = x.grad.clone()
    x.grad.zero_()
    x.sum().backward()
    return [first, x.grad, y]


@program
def detached(dev):
    x = torch.arange(4.0, device=dev, requires_grad=True)
    u = (x * x).detach()
    (u * x).sum().backward()
    with torch.no_grad():
        z = x * 2
    return [x.grad, z, z.requires_grad, u.requires_grad]


@program
def control_flow(dev):
    a = torch.tensor(0.7, device=dev, requires_grad=True)
    b = a * 2
    while b.norm() < 100:
        b = b * 2
    c = b if b.sum() > 0 else 100 * b
    c.backward()
    return [a.grad, c]


@program
def second_order(dev):
    x = torch.arange(3.0, device=dev, requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return [g, h]


@program
def own_function(dev):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    x = torch.arange(4.0).to(dev).requires_grad_()
    Cube.apply(x).sum().backward()
    return [x.grad]


@program
def hooks(dev):
    seen = []
    x = torch.ones(3, device=dev, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: seen.append(g.sum().item()))
    (y * y).sum().backward()
    return [seen, x.grad]


@program
def gradients_of_indexing(dev):
    x = grid("cpu").to(dev).requires_grad_()
    i = torch.tensor([0, 0, 3], device=dev)
    (x[i] ** 2).sum().backward()
    first = x.grad.clone()
    x.grad = None
    x[:, 1:3].prod().backward()
    return [first, x.grad]


# --- training ---


@program
def regression_from_scratch(dev):
    X, y = (t.to(dev) for t in regression())
    w = torch.zeros(3, 1, device=dev, requires_grad=True)
    b = torch.zeros(1, device=dev, requires_grad=True)
    for _ in range(5):
        loss = ((X @ w + b - y) ** 2 / 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.1 * p.grad
                p.grad.zero_()
    return [w, b, loss]


@program
def regression_concise(dev):
    return train(dev, nn.Linear(3, 1), *regression(), lambda p: torch.optim.SGD(p, 0.1), nn.MSELoss())


@program
def softmax_from_scratch(dev):
    X, y = (t.to(dev) for t in classes())
    W = torch.zeros(5, 3, device=dev, requires_grad=True)
    for _ in range(4):
        o = torch.exp(X @ W)
        p = o / o.sum(1, keepdim=True)
        loss = -torch.log(p[range(len(y)), y]).mean()
        loss.backward()
        with torch.no_grad():
            W -= 0.5 * W.grad
            W.grad.zero_()
    return [W, loss, (p.argmax(1) == y).float().mean()]


@program
def softmax_concise(dev):
    return train(dev, nn.Linear(5, 3), *classes(), lambda p: torch.optim.SGD(p, 0.5), nn.CrossEntropyLoss())


@program
def perceptron(dev):
    net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3))
    return train(dev, net, *classes(), lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, weight_decay=1e-3),
                 nn.CrossEntropyLoss())


@program
def adam(dev):
    return train(dev, nn.Sequential(nn.Linear(5, 8), nn.GELU(), nn.Linear(8, 3)), *classes(),
                 lambda p: torch.optim.Adam(p, 0.01), nn.CrossEntropyLoss())


@program
def other_optimizers(dev):
    results = []
    for kind in (torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adagrad, torch.optim.Adadelta, torch.optim.NAdam):
        results += train(dev, nn.Linear(5, 3), *classes(), lambda p: kind(p, lr=0.01), nn.CrossEntropyLoss(), steps=2)
    return results


@program
def batches(dev):
    X, y = regression()
    net, losses = nn.Linear(3, 1).to(dev), []
    opt = torch.optim.SGD(net.parameters(), 0.05)
    for a, b in DataLoader(TensorDataset(X, y), 8, shuffle=True):
        opt.zero_grad()
        loss = F.mse_loss(net(a.to(dev)), b.to(dev))
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


@program
def schedule_and_clipping(dev):
    X, y = (t.to(dev) for t in regression())
    net = nn.Linear(3, 1).to(dev)
    opt = torch.optim.SGD(net.parameters(), 0.1)
    schedule = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
    for _ in range(4):
        opt.zero_grad()
        F.mse_loss(net(X), y).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        schedule.step()
    return [net.weight, opt.param_groups[0]["lr"]]


@program
def gan_step(dev):
    G, D = nn.Linear(2, 2).to(dev), nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)).to(dev)
    loss = nn.BCEWithLogitsLoss()
    real, noise = torch.randn(6, 2).to(dev), torch.randn(6, 2).to(dev)
    opt = torch.optim.Adam(D.parameters(), 0.05)
    value = loss(D(real), torch.ones(6, 1, device=dev)) + loss(D(G(noise).detach()), torch.zeros(6, 1, device=dev))
    value.backward()
    opt.step()
    return [value] + list(D.parameters())


# --- networks ---


@program
def lenet(dev):
    net = nn.Sequential(nn.Conv2d(1, 4, 5, padding=2), nn.Sigmoid(), nn.AvgPool2d(2), nn.Conv2d(4, 6, 5), nn.ReLU(),
                        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(150, 20), nn.ReLU(), nn.Linear(20, 10))
    return train(dev, net, torch.randn(4, 1, 28, 28), torch.tensor([1, 3, 5, 7]), lambda p: torch.optim.SGD(p, 0.1),
                 nn.CrossEntropyLoss(), steps=2)


@program
def residual_block(dev):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 3, 3, padding=1)
            self.norm = nn.BatchNorm2d(3)

        def forward(self, x):
            return F.relu(x + self.norm(self.conv(x)))

    net = nn.Sequential(Block(), Block(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 2))
    results = train(dev, net, torch.randn(4, 3, 8, 8), torch.tensor([0, 1, 0, 1]), lambda p: torch.optim.SGD(p, 0.1),
                    nn.CrossEntropyLoss(), steps=2)
    net.eval()
    return results + [net(torch.ones(1, 3, 8, 8, device=dev)), net[0].norm.running_mean]


@program
def recurrent_from_scratch(dev):
    W, U, V = ((torch.randn(*size) / 4).to(dev).requires_grad_() for size in ((3, 4), (4, 4), (4, 3)))
    H, outputs = torch.zeros(2, 4, device=dev), []
    for x in torch.randn(5, 2, 3).to(dev):
        H = torch.tanh(x @ W + H @ U)
        outputs.append(H @ V)
    torch.stack(outputs).pow(2).mean().backward()
    return [W.grad, U.grad, V.grad]


@program
def recurrent_layers(dev):
    results = []
    for kind in (nn.RNN, nn.GRU, nn.LSTM):
        net = kind(3, 4, num_layers=2).to(dev)
        out, _ = net(torch.randn(5, 2, 3).to(dev))
        out.pow(2).mean().backward()
        results += [out, net.weight_ih_l0.grad, net.bias_hh_l1.grad]
    return results


@program
def embeddings(dev):
    table = nn.Embedding(10, 4).to(dev)
    ids = torch.tensor([[1, 2], [9, 1]], device=dev)
    out = table(ids)
    out.sum().backward()
    return [out, table.weight.grad, F.one_hot(ids, 10)]


@program
def attention(dev):
    q, k, v = (torch.randn(2, 3, 4).to(dev).requires_grad_() for _ in range(3))
    scores = q @ k.transpose(1, 2) / math.sqrt(4)
    mask = torch.arange(3, device=dev)[None, :] < torch.tensor([2, 3], device=dev)[:, None]
    weights = F.softmax(scores.masked_fill(~mask[:, None], -1e6), -1)
    (weights @ v).sum().backward()
    return [weights, q.grad, v.grad]


@program
def transformer_layer(dev):
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True).to(dev)
    out = layer(torch.randn(2, 3, 8).to(dev))
    out.pow(2).mean().backward()
    return [out, layer.linear1.weight.grad, layer.self_attn.in_proj_weight.grad]


@program
def convolution_by_hand(dev):
    X, K = torch.ones(5, 6, device=dev), torch.tensor([[1.0, -1.0]], device=dev)
    X[:, 2:4] = 0
    Y = torch.zeros(5, 5, device=dev)
    for i in range(5):
        for j in range(5):
            Y[i, j] = (X[i : i + 1, j : j + 2] * K).sum()
    return [Y, F.conv2d(X[None, None], K[None, None])]


@program
def losses(dev):
    p = (torch.rand(4, 3) * 0.9 + 0.05).to(dev).requires_grad_()
    t = (torch.rand(4, 3) * 0.9 + 0.05).to(dev)
    results = []
    for loss in (nn.MSELoss(), nn.L1Loss(), nn.SmoothL1Loss(), nn.HuberLoss(), nn.BCELoss(), nn.BCEWithLogitsLoss(),
                 nn.KLDivLoss(reduction="batchmean"), nn.MSELoss(reduction="none")):
        value = loss(p, t)
        value.sum().backward()
        results.append(value)
    return results + [F.nll_loss(F.log_softmax(p, 1), torch.tensor([0, 1, 2, 0], device=dev)), p.grad]


@program
def activations(dev):
    results = []
    for f in (F.relu, torch.sigmoid, torch.tanh, F.leaky_relu, F.elu, F.gelu, F.silu, F.softplus, F.hardtanh, F.selu,
              F.hardswish, F.mish):
        x = torch.linspace(-3, 3, 7).to(dev).requires_grad_()
        y = f(x)
        y.sum().backward()
        results += [y, x.grad]
    return results


@program
def norms_and_pools(dev):
    x = torch.randn(2, 4, 6, 6).to(dev).requires_grad_()
    parts = [nn.LayerNorm([6, 6]).to(dev)(x), nn.GroupNorm(2, 4).to(dev)(x), nn.InstanceNorm2d(4)(x), F.avg_pool2d(x, 2),
             F.max_pool2d(x, 2), F.adaptive_avg_pool2d(x, 3), F.interpolate(x, scale_factor=2),
             nn.ConvTranspose2d(4, 2, 2).to(dev)(x)]
    sum(part.sum() for part in parts).backward()
    return parts + [x.grad]


@program
def dropout(dev):
    torch.manual_seed(3)
    layer = nn.Dropout(0.5)
    x = torch.ones(40, 10, device=dev)
    a = layer(x)
    torch.manual_seed(3)
    b = layer(x)
    return [torch.equal(a, b), sorted(set(a.flatten().tolist())), layer.eval()(x)]


@program
def random_numbers(dev):
    results = []
    for _ in range(2):
        torch.manual_seed(5)
        results += [torch.randn(6, device=dev), torch.rand(3, device=dev), torch.randint(0, 9, (5,), device=dev),
                    torch.normal(1.0, 2.0, (2, 2), device=dev), torch.randperm(8, device=dev),
                    torch.bernoulli(torch.full((4,), 0.5, device=dev)), torch.empty(3, device=dev).uniform_(2, 3),
                    torch.multinomial(torch.tensor([0.2, 0.8], device=dev), 4, True)]
    return results


@program
def initialisation(dev):
    net = nn.Linear(4, 3).to(dev)
    nn.init.ones_(net.weight)
    nn.init.constant_(net.bias, 0.25)
    net.weight.data[0] = 2
    return [net.weight, net.bias, net(torch.ones(1, 4, device=dev))]


@program
def state_of_a_network(dev):
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)).to(dev)
    other = copy.deepcopy(net)
    file = io.BytesIO()
    torch.save(net.state_dict(), file)
    file.seek(0)
    loaded = torch.load(file, map_location=dev)
    other.load_state_dict(loaded)
    x = torch.ones(2, 3, device=dev)
    return [loaded["0.weight"], other(x), net(x), sum(p.numel() for p in net.parameters()), loaded["0.bias"].device == x.device]


@program
def module_with_branches(dev):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)
            self.register_buffer("scale", torch.full((4,), 3.0))

        def forward(self, x):
            h = F.relu(self.layer(x)) * self.scale
            while h.abs().sum() > 10:
                h = h / 2
            return h

    return [Net().to(dev)(torch.ones(2, 4, device=dev))]


@program
def scripted(dev):
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to(dev)
    x = torch.randn(3, 4).to(dev)
    fast = torch.jit.script(net)
    return [net(x), fast(x), fast(x), torch.jit.trace(net, x)(x)]
