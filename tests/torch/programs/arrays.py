"""More of tensors: indexing, types, errors, transforms, linear algebra."""

import copy
import pickle

import torch
from torch.nn import functional as F

from programs.common import grid, program


def said(call):
    """An error's type and text, without the address of the device."""
    try:
        call()
        return "no error"
    except Exception as error:
        return "%s: %s" % (type(error).__name__, str(error).split("\n")[0][:90])


@program
def advanced_indexing(dev):
    x, i, j = grid(dev), torch.tensor([0, 2, 3], device=dev), torch.tensor([[1], [3]], device=dev)
    x3 = torch.arange(24.0, device=dev).reshape(2, 3, 4)
    return [x[i, 1], x[i[:, None], i], x[:, i], x[i][:, [0, -1]], x[j], x3[:, [0, 2], 1:3],
            x3[..., [True, False, True, False]],
            x3[0, i[:2]], x3[None, 1, ..., ::3], x[[0, 1], [2, 3]], x[torch.arange(4, device=dev), x.argmax(1)],
            x[-2:, ::2]]


@program
def indexed_writes(dev):
    x, i = torch.zeros(4, 6, device=dev), torch.tensor([0, 2], device=dev)
    x[i] = 1
    x[:, i] += 2
    x[i, i] = torch.tensor([7.0, 8.0], device=dev)
    x[x > 6] *= 10
    x.index_put_((i, i), torch.ones(2, device=dev), accumulate=True)
    x[1, [3, 4]] = x[0, [0, 1]]
    x[3:] = torch.arange(6.0)
    x[..., -1] = 5
    x[x[:, 0] == 0, 1] = -9
    return [x]


@program
def masks(dev):
    x = grid(dev) - 7
    y = x.clone()
    y.masked_fill_(x < 0, 0)
    z = x.clone()
    z.masked_scatter_(x > 10, torch.arange(20.0, device=dev))
    z[z.isnan()] = 0
    return [y, z, torch.where(x > 0), x.nonzero(), (x > 0).nonzero(as_tuple=True), x.count_nonzero(1),
            torch.isin(x, torch.tensor([1.0, 2.0], device=dev)), (x / 0).isinf(), torch.isfinite(x / x),
            x.logical_not()]


@program
def scatters(dev):
    x, i = grid(dev, 3, 4), torch.tensor([[0, 1, 2, 0], [2, 2, 0, 1], [1, 0, 1, 2]], device=dev)
    zero = torch.zeros(3, 4, device=dev)
    return [zero.scatter(0, i, x), zero.scatter_add(0, i, x), zero.scatter(1, i, x, reduce="add"), x.gather(0, i),
            zero.scatter_reduce(0, i, x, "amax"), torch.take_along_dim(x, i, 0), zero.index_copy(0, i[0, :3], x),
            x.put(torch.tensor([0, 5], device=dev), torch.tensor([-1.0, -2.0], device=dev)), zero.index_add(1, i[0], x)]


@program
def orders(dev):
    x = torch.tensor([[2.0, 9.0, 4.0, 4.0], [7.0, 1.0, 8.0, 0.0]], device=dev)
    s, i = x.sort(dim=1, stable=True)
    return [s, i, x.topk(2, largest=False), x.argsort(0), x.msort(),
            torch.searchsorted(s, torch.tensor([[4.0], [7.5]], device=dev)),
            torch.bucketize(x, torch.tensor([1.0, 5.0], device=dev)), x.kthvalue(3, 1), x.median(1), x.quantile(0.25),
            x.quantile(torch.tensor([0.1, 0.9], device=dev), dim=1), x.nanmedian(), x.cummax(1), x.cummin(0).values]


@program
def counts(dev):
    x = torch.tensor([3, 1, 3, 2, 3, 0], device=dev)
    return [torch.unique(x, return_inverse=True, return_counts=True), torch.unique_consecutive(x),
            x.bincount(minlength=6),
            torch.histc(x.float(), 4, 0, 4), x.unique().numel(), torch.repeat_interleave(x, 2), x.mode(),
            torch.repeat_interleave(x[:2], torch.tensor([1, 3], device=dev)), torch.unique(grid(dev) // 9, dim=1)]


@program
def accumulations(dev):
    x = grid(dev, 3, 4) / 6
    return [x.cumsum(0), x.cumprod(1), x.logcumsumexp(1), x.diff(), x.diff(dim=0), torch.trapz(x),
            torch.cumulative_trapezoid(x, dim=0),
            x.std(1, unbiased=False), torch.var_mean(x, 1), torch.std_mean(x), x.aminmax(dim=1), x.nansum(),
            x.renorm(2, 0, 1.0)]


@program
def einsums(dev):
    a, b, v = grid(dev, 3, 4), grid(dev, 4, 2), torch.arange(3.0, device=dev)
    c = torch.arange(24.0, device=dev).reshape(2, 3, 4)
    return [torch.einsum("ij,jk", a, b), torch.einsum("ij->ji", a), torch.einsum("ij->j", a),
            torch.einsum("i,i->", v, v),
            torch.einsum("i,j->ij", v, v), torch.einsum("bij,jk->bik", c, b), torch.einsum("...ij->...ji", c),
            torch.einsum("bij,bij->b", c, c), torch.einsum("ii->i", a[:3, :3]), torch.inner(a, a), torch.kron(v, v),
            torch.chain_matmul(a, b)]


@program
def fourier(dev):
    x = torch.sin(torch.arange(8.0) * 3).to(dev)
    f = torch.fft.fft(x)
    return [f.real, f.imag, f.abs(), torch.fft.ifft(f).real, torch.fft.rfft(x).abs(),
            torch.fft.irfft(torch.fft.rfft(x)),
            torch.fft.fftfreq(8, device=dev), torch.fft.fftshift(x), torch.fft.fft2(x.reshape(2, 4)).real,
            torch.stft(x, 4, return_complex=True, window=torch.ones(4, device=dev)).abs()]


@program
def complex_numbers(dev):
    z = torch.complex(torch.tensor([1.0, 2.0], device=dev), torch.tensor([3.0, -1.0], device=dev))
    w = torch.view_as_real(z * z.conj())
    return [z.real, z.imag, z.abs(), z.angle(), w, (z @ z).real, torch.polar(z.abs(), z.angle()).imag, (z + 1j).imag,
            z.conj().imag]


@program
def decompositions(dev):
    a = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], device=dev)
    Q, R = torch.linalg.qr(a)
    LU, pivots = torch.linalg.lu_factor(a)
    return [(Q @ R), R.abs(), LU, pivots, torch.linalg.eigvals(a).real.sort().values, torch.linalg.matrix_rank(a),
            torch.linalg.pinv(a), torch.linalg.matrix_power(a, 3), torch.linalg.cond(a),
            torch.linalg.slogdet(a).logabsdet,
            torch.linalg.matrix_exp(a / 4), torch.linalg.norm(a, "nuc"), torch.linalg.vector_norm(a, 1),
            a.inverse() @ a,
            torch.triangular_solve(torch.ones(3, 1, device=dev), R)[0], torch.cross(a[0], a[1], dim=0), a.trace()]


@program
def promotions(dev):
    b, i, l = (torch.tensor([1, 0, 2], device=dev).to(t) for t in (torch.bool, torch.int32, torch.int64))
    h, f, d = (torch.ones(3, device=dev, dtype=t) for t in (torch.float16, torch.float32, torch.float64))
    zero = torch.tensor(2.0, dtype=torch.float64, device=dev)
    return [b + i, i + l, b * 2, i * 2.5, l / 3, (h.float() + f), f + d, f * zero, i + zero, l // 2, (f > 0) + f,
            l.float().mean(),
            torch.result_type(i, 1.0), torch.promote_types(torch.int8, torch.float16), i.sum().dtype, b.sum(),
            torch.can_cast(torch.float, torch.int)]


@program
def errors_of_shapes(dev):
    a, b = torch.ones(2, 3, device=dev), torch.ones(4, device=dev)
    return [said(lambda: a + b), said(lambda: a @ a), said(lambda: a.view(4)), said(lambda: torch.cat([a, a.t()])),
            said(lambda: a[5]), said(lambda: a.reshape(7)), said(lambda: a.expand(3, 3)), said(lambda: a.squeeze(4)),
            said(lambda: F.linear(a, torch.ones(2, 2, device=dev))), said(lambda: torch.stack([a, b])),
            said(lambda: a.sum(3)), said(lambda: b.item()), said(lambda: bool(b)), said(lambda: a.split([1, 1], 1))]


@program
def errors_of_types(dev):
    f, i = torch.ones(2, 2, device=dev), torch.ones(2, 2, dtype=torch.int64, device=dev)
    return [said(lambda: f @ i), said(lambda: i.mean()), said(lambda: f & f)[:12], said(lambda: i.add_(0.5)),
            said(lambda: torch.tensor([1], device=dev, requires_grad=True)), said(lambda: f[1.5]),
            said(lambda: torch.ones(-1, device=dev)),
            said(lambda: F.cross_entropy(f, f.long()[0] + 0.5)), said(lambda: i.backward())]


@program
def reshaping(dev):
    x = torch.arange(24, device=dev).reshape(2, 3, 4)
    return [x.permute(2, 0, 1), x.movedim(0, -1), x.swapaxes(0, 2), x.flatten(1), x.unflatten(2, (2, 2)), x.squeeze(),
            x.T.shape == (4, 3, 2),
            x.mT, torch.atleast_3d(x[0, 0]), x.tile(1, 2, 1)[0], x.rot90(1, (1, 2)), torch.block_diag(x[0], x[1]),
            x.view(torch.int32)[0, 0],
            x.is_contiguous(), x.transpose(1, 2).is_contiguous(), x.stride(), x.transpose(0, 2).stride(),
            torch.dsplit(x, 2)[1], x.size(-1)]


@program
def windows_and_folds(dev):
    x = torch.arange(32.0, device=dev).reshape(1, 2, 4, 4)
    cols = F.unfold(x, 2, stride=2)
    return [cols, F.fold(cols, (4, 4), 2, stride=2), F.pixel_shuffle(x.reshape(1, 8, 2, 2), 2),
            F.pad(x, (1, 1, 1, 1), mode="reflect"),
            F.pad(x, (0, 1), value=9), F.interpolate(x, size=(6, 6), mode="bilinear", align_corners=False),
            F.pad(x, (1, 1, 1, 1), mode="replicate"),
            F.interpolate(x, scale_factor=0.5, mode="nearest"),
            F.grid_sample(x, torch.zeros(1, 2, 2, 2, device=dev), align_corners=False),
            F.max_pool2d(x, 2, return_indices=True), F.lp_pool2d(x, 2, 2), F.adaptive_max_pool2d(x, 1),
            F.local_response_norm(x, 2)]


@program
def aliasing(dev):
    x = torch.zeros(2, 3, device=dev)
    y, z, w = x.view(-1), x.clone(), x.detach()
    y[0] = 1
    w[1, 1] = 2
    x.t()[2, 0] = 3
    a = torch.arange(6.0, device=dev)
    a[1:] = a[:-1].clone()
    b = x.expand(2, 2, 3)
    return [x, y, z, a, b, x.data_ptr() == y.data_ptr(), x.storage_offset(), x[1].storage_offset(), b.stride()]


@program
def in_place_functions(dev):
    x = grid(dev) / 10
    for f in ("exp_", "neg_", "sigmoid_", "sqrt_", "tanh_", "square_", "round_", "abs_"):
        getattr(x, f)()
    y = grid(dev)
    y.addcmul_(y, y, value=0.1).addcdiv_(y, y + 1).lerp_(y * 2, 0.5).clamp_(max=30).t_().fmod_(7).sub_(1).div_(2,
    rounding_mode="floor")
    F.relu_(y)
    y.fill_diagonal_(100).transpose_(0, 1)
    z = torch.arange(5, device=dev)
    z += 1
    z *= 2
    z //= 3
    z %= 2
    z **= 2
    return [x, y, z, y.shape]


@program
def to_and_from_numpy(dev):
    import numpy as np

    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = torch.tensor(a).to(dev)
    a[0, 0] = 50
    y = torch.as_tensor(a, device=dev)
    z = (x * 2).cpu().numpy()
    return [x, y, float(z.sum()), str(z.dtype), np.allclose(x.cpu(), z / 2), torch.tensor(np.float64(2.5), device=dev),
            torch.tensor(a.tolist(), device=dev)]


@program
def copies_of_objects(dev):
    x = torch.arange(4.0, device=dev)
    y, z = copy.deepcopy(x), pickle.loads(pickle.dumps(x))
    x += 1
    layer = copy.deepcopy(torch.nn.Linear(2, 2).to(dev))
    return [x, y, z, layer.weight.device.type == x.device.type, z.device == x.device, copy.copy(x) is x]


@program
def casting_of_devices(dev):
    x = torch.ones(2, device=dev)
    return [x.device.type == torch.device(dev).type, x.to(x.device) is x, x.to(torch.float64).device == x.device,
            torch.ones(2).to(x),
            x.type(torch.int32), x.cpu().device.type, torch.zeros_like(x, device="cpu").device.type,
            x.new_full((2,), 4.0).device == x.device,
            torch.empty(3, device=dev).shape, x.is_cuda == (dev == "cuda"), x.element_size() * x.nelement()]


@program
def random_choices(dev):
    torch.manual_seed(11)
    results = [torch.randn(2, 3).to(dev), torch.randperm(6), torch.rand(3).to(dev)]
    x = torch.zeros(1000, device=dev).uniform_(-1, 1)
    n = torch.randn(1000, device=dev)
    g = torch.Generator().manual_seed(5)
    results.append(torch.randn(3, generator=g).to(dev))
    sample = torch.multinomial(torch.tensor([0.0, 1.0, 0.0], device=dev), 5, replacement=True)
    return results + [bool((x.abs() <= 1).all()), bool(n.mean().abs() < 0.2), bool((n.std() - 1).abs() < 0.2), sample,
                      torch.normal(torch.zeros(2, device=dev), 0.0), torch.randint(3, 4, (3,), device=dev),
                      torch.rand_like(x).shape,
                      torch.bernoulli(torch.ones(3, device=dev)), torch.poisson(torch.zeros(2, device=dev))]


@program
def special_functions(dev):
    x = torch.linspace(0.1, 0.9, 5, device=dev)
    return [torch.lgamma(x), torch.digamma(x), torch.erfinv(x), torch.special.expit(x), torch.logit(x), torch.i0(x),
            torch.sinc(x), torch.hypot(x, x),
            torch.atan2(x, 1 - x), torch.xlogy(x, x), torch.logaddexp(x, x), torch.copysign(x, -x),
            torch.heaviside(x - 0.5, x), torch.float_power(x, 2),
            torch.frac(x * 7), torch.trunc(x * 7), x.deg2rad(),
            torch.gcd((x * 100).int(), torch.tensor(10, dtype=torch.int32, device=dev)), x.asin(), x.cosh(), x.atanh(),
            x.log2(), x.log10(), x.exp2()]


@program
def bits_and_integers(dev):
    x = torch.tensor([5, -3, 12], device=dev)
    return [x & 6, x | 1, x ^ 3, ~x, x << 2, x >> 1, x // 2, x % 4, -x, x.abs(), x.clamp(0, 6),
            x.float().floor_divide(2), x.remainder(-4), x.fmod(4),
            torch.div(x, 2, rounding_mode="trunc"), x.pow(2), x.max(), x.prod(), x.bitwise_and(x), x.sign(),
            (x > 0).int().cumsum(0)]


@program
def distances_and_losses(dev):
    a, b = grid(dev, 3, 4) / 5, grid(dev, 3, 4).flip(0) / 5
    one = torch.ones(3, device=dev)
    return [torch.cdist(a, b), F.pairwise_distance(a, b), F.cosine_similarity(a, b),
            F.triplet_margin_loss(a, b, a + 1), torch.pdist(a),
            F.margin_ranking_loss(a[:, 0], b[:, 0], one), F.hinge_embedding_loss(a, torch.sign(b - 1)),
            F.cosine_embedding_loss(a, b, one),
            F.poisson_nll_loss(a, b), F.gaussian_nll_loss(a, b, torch.ones_like(a)),
            F.soft_margin_loss(a, torch.sign(b - 1.1)),
            F.kl_div(F.log_softmax(a, 1), F.softmax(b, 1), reduction="batchmean"),
            F.multilabel_soft_margin_loss(a, (b > 1).float()),
            F.ctc_loss(F.log_softmax(grid(dev, 5, 6).reshape(5, 2, 3), 2), torch.tensor([[1, 2], [2, 1]]),
            torch.tensor([5, 5]), torch.tensor([2, 2]))]


@program
def more_activations(dev):
    results = []
    for f in (F.relu6, F.celu, F.softsign, F.tanhshrink, F.hardshrink, F.softshrink, F.logsigmoid, F.hardsigmoid,
    F.threshold, F.rrelu, F.glu):
        x = torch.linspace(-3.05, 3, 8).to(dev).requires_grad_()
        y = f(x, 0.5, 0.0) if f is F.threshold else f(x)
        y.sum().backward()
        results += [y, x.grad]
    x = grid(dev) / 10
    return results + [F.softmin(x, 1), F.normalize(x, dim=1), F.prelu(x - 1, torch.tensor([0.3], device=dev))]
