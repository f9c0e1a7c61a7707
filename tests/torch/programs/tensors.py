"""Tensors: creation, arithmetic, views, linear algebra."""

import torch
from torch.nn import functional as F

from programs.common import grid, program


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
    one = x[3:, 5:] + 0
    return [one.item(), bool(one > 22), float(one[0]), x.tolist(), x[1, 2].item(), float(x.sum()), int(x.max()), bool((x >= 0).all()), x.cpu().numpy().sum().item()]


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
