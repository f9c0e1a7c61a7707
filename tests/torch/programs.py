"""Small programs as courses write them. Each takes a device and returns values; corpus_test.py runs each with plain
PyTorch on the CPU and with Headway's CUDA device, and compares."""

import copy
import io
import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

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


# --- creation and types ---


@program
def zeros_ones_full(dev):
    return [torch.zeros(2, 3, device=dev), torch.ones(4, device=dev), torch.full((2, 2), 7.5, device=dev)]


@program
def ranges(dev):
    return [torch.arange(5, device=dev), torch.arange(1, 2, 0.25, device=dev), torch.linspace(0, 1, 7, device=dev),
            torch.logspace(0, 2, 3, device=dev), torch.eye(3, device=dev)]


@program
def from_lists(dev):
    return [torch.tensor([[1, 2], [3, 4]], device=dev), torch.tensor(2.5, device=dev), torch.tensor([True, False]).to(dev)]


@program
def like_others(dev):
    x = grid(dev)
    return [torch.zeros_like(x), torch.ones_like(x, dtype=torch.int64), torch.full_like(x, 3), x.new_zeros(2, 2),
            x.new_tensor([1, 2])]


@program
def types(dev):
    x = torch.tensor([-1.7, 0.2, 2.9], device=dev)
    return [x.int(), x.long(), x.double(), x.half().float(), x.bool(), x.to(torch.bfloat16).float(), x.byte().shape]


@program
def type_promotion(dev):
    i, f = torch.arange(3, device=dev), torch.ones(3, device=dev)
    return [i + f, i / 2, i // 2, i % 2, (i > 1) + i, i * 1.5, (i.double() + f)]


@program
def to_and_back(dev):
    x = torch.arange(6.0).reshape(2, 3)
    y = x.to(dev)
    z = x.to(dev, copy=True)
    x[0, 1] = 100  # the copy has the value from before
    return [z, y[1], y.cpu()[1], y.to("cpu", torch.float64)[1], y.to(dev) is y]


@program
def conversions(dev):
    x = grid(dev)
    return [x.tolist(), x[1, 2].item(), float(x.sum()), int(x.max()), bool((x >= 0).all()), x.cpu().numpy().sum().item()]


@program
def printing(dev):
    x = grid(dev, 2, 3) / 7
    return [str(x).replace(", device='cuda:0'", ""), "%.3f" % x[1, 1], f"{x.mean():.4f}", repr(x.shape)]


# --- arithmetic and reductions ---


@program
def arithmetic(dev):
    x = grid(dev)
    return [x + 1, 2 - x, x * x, x / (x + 1), x**2, -x, x.pow(0.5), abs(x - 7), x @ x.t()]


@program
def functions(dev):
    x = grid(dev) / 10
    return [x.exp(), x.add(1).log(), x.sqrt(), x.sin(), x.cos(), x.tanh(), x.sigmoid(), x.floor(), x.ceil(), x.round(),
            x.erf(), x.sign(), x.reciprocal(), x.rsqrt(), x.expm1(), x.log1p()]


@program
def comparisons(dev):
    x, y = grid(dev), grid(dev).flip(0)
    return [x == y, x != y, x < y, x <= y, x > 5, x >= y, torch.maximum(x, y), torch.minimum(x, y), torch.equal(x, y),
            torch.allclose(x, x + 1e-9)]


@program
def logic(dev):
    x = grid(dev) > 7
    y = grid(dev) < 15
    return [x & y, x | y, x ^ y, ~x, x.any(), y.all(), x.any(0), y.all(1), torch.logical_and(x, y), x.sum()]


@program
def reductions(dev):
    x = grid(dev)
    return [x.sum(), x.sum(0), x.mean(1), x.max(), x.min(1).values, x.argmax(), x.argmin(1), x.prod(1), x.std(), x.var(0),
            x.norm(), x.cumsum(1), x.cumprod(0), x.median(), x.logsumexp(1), x.amax((0, 1)), x.sum((0, 1), keepdim=True)]


@program
def sorting(dev):
    x = torch.tensor([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]], device=dev)
    return [x.sort().values, x.sort(descending=True).indices, x.argsort(), x.topk(2).values, x.kthvalue(2).values,
            torch.unique(torch.tensor([3, 1, 3, 2], device=dev)), torch.bincount(torch.tensor([0, 2, 2], device=dev))]


@program
def clamping(dev):
    x = grid(dev) - 10
    return [x.clamp(-3, 3), x.clamp(min=0), torch.where(x > 0, x, -x), x.relu(), torch.lerp(x, x + 1, 0.25),
            x.fmod(3), x.remainder(3), torch.nan_to_num(x / x)]


@program
def broadcasting(dev):
    a, b = torch.arange(3.0, device=dev).reshape(3, 1), torch.arange(2.0, device=dev)
    return [a + b, a * b, torch.broadcast_to(b, (3, 2)), a.expand(3, 4), torch.add(a, b, alpha=2), torch.addcmul(a, a, b)]


# --- views, indexing, in place ---


@program
def views(dev):
    x = grid(dev)
    return [x.view(3, 8), x.reshape(-1), x.t(), x.permute(1, 0), x.unsqueeze(0), x[None, :, 0].squeeze(), x.flatten(),
            x.transpose(0, 1).contiguous(), x.narrow(0, 1, 2), x.unfold(1, 3, 2), x.diagonal(), x.view_as(x)]


@program
def slices(dev):
    x = grid(dev)
    return [x[0], x[:, 1], x[1:3], x[::2, 1::2], x[-1, -1], x[..., 2], x[[0, 2]], x[x.sum(1) > 40], x[1, 2:4]]


@program
def writes_through_views(dev):
    x = torch.zeros(4, 5, device=dev)
    x[1] = 3
    x[:, 2] += 1
    row = x[2]
    row.fill_(9)
    x[0, 1:3] = torch.tensor([5.0, 6.0], device=dev)
    x.t()[4].mul_(2)
    x[x == 9] = -1
    return [x, row]


@program
def in_place(dev):
    x = grid(dev)
    y = x.clone()
    y.add_(1).mul_(2).sub_(x).div_(3).clamp_(0, 5)
    before = id(y)
    y[:] = y + x
    z = torch.empty_like(y)
    z.copy_(y)
    z.zero_()
    return [y, z, before == id(y), x.masked_fill(x > 5, 0)]


@program
def index_ops(dev):
    x, i = grid(dev), torch.tensor([2, 0], device=dev)
    return [x[i], x[i, i], x.index_select(1, i), x.gather(1, i.reshape(2, 1)), x.take(i), x.index_add(0, i, x[:2]),
            torch.zeros(3, 6, device=dev).scatter_(0, torch.zeros(1, 6, dtype=torch.long, device=dev), 4.0),
            x.index_fill(0, i, -1.0), x.masked_select(x > 20), torch.nonzero(x > 20)]


@program
def joins(dev):
    x = grid(dev)
    a, b = x.chunk(2)
    return [torch.cat([a, b], 1), torch.stack([a, b]), *x.split(2, 1), *x.unbind(0)[:2], x.repeat(2, 1),
            torch.hstack([a, b]), torch.vstack([a, b]), x.flip(1), x.roll(1, 0), x.tril(), x.triu(1), F.pad(x, (1, 2))]


@program
def grids(dev):
    a = torch.arange(3, device=dev)
    return [*torch.meshgrid(a, a, indexing="ij"), torch.cartesian_prod(a, a), torch.combinations(a), torch.outer(a, a)]


@program
def out_arguments(dev):
    x = grid(dev)
    out, empty = torch.zeros_like(x), torch.empty(0, device=dev)
    torch.add(x, 1, out=out)
    torch.mul(x, 2, out=empty)
    return [out, empty]


# --- linear algebra ---


@program
def products(dev):
    a, b = grid(dev, 2, 3), grid(dev, 3, 4)
    u = torch.arange(3.0, device=dev)
    return [a @ b, torch.mm(a, b), a @ u, torch.dot(u, u), torch.mv(a, u), torch.addmm(torch.ones(2, 4, device=dev), a, b)]


@program
def batched_products(dev):
    a, b = grid(dev, 4, 6).reshape(2, 2, 6), grid(dev, 4, 6).reshape(2, 6, 2)
    return [torch.bmm(a, b), a @ b, torch.matmul(a, b[0]), torch.einsum("bij,bjk->bik", a, b), torch.tensordot(a, b, 2)]


@program
def solving(dev):
    a = torch.tensor([[4.0, 1.0], [1.0, 3.0]], device=dev)
    return [torch.linalg.inv(a), torch.linalg.solve(a, torch.ones(2, device=dev)), torch.det(a), a.trace(),
            torch.linalg.norm(a), torch.linalg.cholesky(a), torch.linalg.eigvalsh(a)]


@program
def chain_of_products(dev):
    a = torch.randn(64, 64).to(dev) / 8
    b = a
    for _ in range(15):
        b = b @ a
    return [b]


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
