"""Autograd beyond one backward(), functional transforms, scripts, scopes."""

import torch
from torch import nn
from torch.autograd import functional as AF
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

from programs.common import grid, program


@program
def jacobians(dev):
    x, W = torch.arange(3.0, device=dev), grid(dev, 2, 3)

    def f(x):
        return torch.tanh(W @ x / 10)

    return [AF.jacobian(f, x), AF.hessian(lambda x: (x**3).sum(), x), AF.vjp(f, x, torch.ones(2, device=dev))[1],
            AF.jvp(f, x, torch.ones(3, device=dev))[1], AF.hvp(lambda x: (x**4).sum(), x, torch.ones(3, device=dev))[1]]


@program
def gradient_check(dev):
    x = torch.rand(3, dtype=torch.float64).to(dev).requires_grad_()
    w = torch.rand(2, 3, dtype=torch.float64).to(dev).requires_grad_()
    return [torch.autograd.gradcheck(lambda x, w: torch.sigmoid(w @ x).sum(), (x, w)),
            torch.autograd.gradgradcheck(lambda x: (x**3).sum(), (x,))]


@program
def gradient_by_differences(dev):
    x = torch.tensor([0.5, 1.5], dtype=torch.float64).to(dev).requires_grad_()
    torch.sin(x).prod().backward()
    numeric = []
    for i in range(2):
        d = torch.zeros(2, dtype=torch.float64, device=dev)
        d[i] = 1e-6
        numeric.append((torch.sin(x.detach() + d).prod() - torch.sin(x.detach() - d).prod()) / 2e-6)
    return [x.grad, torch.allclose(x.grad, torch.stack(numeric), atol=1e-6)]


@program
def retained_graph(dev):
    x = torch.arange(3.0, device=dev, requires_grad=True)
    y = (x**2).sum()
    y.backward(retain_graph=True)
    first = x.grad.clone()
    y.backward()
    try:
        y.backward()
        said = ""
    except RuntimeError as error:
        said = str(error)[:45]
    return [first, x.grad, said]


@program
def vector_backward(dev):
    x = torch.arange(4.0, device=dev, requires_grad=True)
    y = x * x
    y.backward(torch.ones(4, device=dev), retain_graph=True)
    a = x.grad.clone()
    x.grad = None
    y.backward(gradient=torch.tensor([1.0, 0, 2, 0], device=dev))
    try:
        (x * 2).backward()
        said = ""
    except RuntimeError as error:
        said = str(error)
    return [a, x.grad, said]


@program
def gradients_of_intermediate_values(dev):
    x = torch.arange(3.0, device=dev, requires_grad=True)
    y = x * 3
    y.retain_grad()
    (y**2).sum().backward()
    return [y.grad, x.grad, y.is_leaf, x.is_leaf, y.grad_fn.name(), y.requires_grad]


@program
def no_grad_and_inference(dev):
    x = torch.ones(3, device=dev, requires_grad=True)
    with torch.no_grad():
        a = x * 2
        with torch.enable_grad():
            b = x * 3
    with torch.inference_mode():
        c = x * 4

    @torch.no_grad()
    def evaluate():
        return (x + 1).requires_grad

    torch.set_grad_enabled(False)
    d = x * 5
    torch.set_grad_enabled(True)
    return [a.requires_grad, b.requires_grad, c.requires_grad, c.is_inference(), evaluate(), d.requires_grad, c, d]


@program
def several_inputs_and_outputs(dev):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, scale):
            ctx.save_for_backward(x, y)
            ctx.scale = scale
            return x * y * scale, x + y

        @staticmethod
        def backward(ctx, g, h):
            x, y = ctx.saved_tensors
            return g * y * ctx.scale + h, g * x * ctx.scale + h, None

    x, y = torch.arange(3.0).to(dev).requires_grad_(), torch.ones(3, device=dev, requires_grad=True)
    a, b = Both.apply(x, y, 2.0)
    (a.sum() + 3 * b.sum()).backward()
    return [a, b, x.grad, y.grad]


@program
def straight_through(dev):
    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.round()

        @staticmethod
        def backward(ctx, g):
            return g.clamp(-1, 1)

    x = torch.tensor([0.2, 0.7, 1.6], device=dev, requires_grad=True)
    (Round.apply(x) * torch.tensor([1.0, 2.0, 3.0], device=dev)).sum().backward()
    return [x.grad]


@program
def reversed_gradient(dev):
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.k = k
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return -ctx.k * g, None

    net, head = nn.Linear(3, 3).to(dev), nn.Linear(3, 2).to(dev)
    features = Reverse.apply(net(torch.randn(4, 3).to(dev)), 0.5)
    loss = F.cross_entropy(head(features), torch.tensor([0, 1, 1, 0], device=dev))
    loss.backward()
    return [net.weight.grad, head.weight.grad]


@program
def checkpoints(dev):
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4), nn.Tanh()).to(dev)
    x = torch.randn(3, 4).to(dev).requires_grad_()
    checkpoint(net, x).sum().backward()
    first = [x.grad.clone(), net[0].weight.grad.clone()]
    net.zero_grad()
    x.grad = None
    checkpoint_sequential(net, 2, x).sum().backward()
    return first + [x.grad, net[0].weight.grad]


@program
def anomaly(dev):
    x = torch.tensor([-1.0, 4.0], device=dev, requires_grad=True)
    with torch.autograd.detect_anomaly(check_nan=True):
        try:
            torch.sqrt(x).sum().backward()
            said = ""
        except RuntimeError as error:
            said = str(error)
    return [said]


@program
def third_order(dev):
    x = torch.tensor(0.5, device=dev, requires_grad=True)
    y, values = torch.sin(x), []
    for _ in range(3):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        values.append(y)
    return values


@program
def unused_inputs(dev):
    x, y = torch.ones(2, device=dev, requires_grad=True), torch.ones(2, device=dev, requires_grad=True)
    g, none = torch.autograd.grad((x**2).sum(), [x, y], allow_unused=True)
    return [g, none is None]


@program
def gradients_of_views_and_copies(dev):
    x = torch.arange(6.0).to(dev).requires_grad_()
    y = x.clone().view(2, 3)
    y[0].mul_(2)
    y[:, 1] = 0
    z = torch.stack([y.t()[0], y.t()[2]]).expand(2, 2, 2)
    z.sum().backward()
    return [x.grad, y]


@program
def write_after_save(dev):
    x = torch.ones(3, device=dev, requires_grad=True)
    y = x.exp()
    z = y * 2
    y += 1
    try:
        y.sum().backward()
        said = ""
    except RuntimeError as error:
        said = str(error)[:80]
    a = torch.ones(2, device=dev, requires_grad=True)
    try:
        a += 1
    except RuntimeError as error:
        said += str(error)[:60]
    return [said, z]


@program
def gradients_of_gathers(dev):
    x = grid("cpu").to(dev).requires_grad_()
    i = torch.tensor([[0, 1], [2, 0], [1, 1], [3, 5]], device=dev)
    y = x.gather(1, i).sum() + x.index_select(0, torch.tensor([1, 1], device=dev)).sum() * 2
    y = y + torch.where(x > 10, x, torch.zeros_like(x)).sum() + x.masked_fill(x < 3, 7).pow(2).sum() + x.take(i).sum()
    y.backward()
    return [x.grad]


@program
def gradients_of_reductions(dev):
    x = (grid("cpu") / 24 + 0.1).to(dev).requires_grad_()
    y = (x.max() + x.min(1).values.sum() + x.prod(0).sum() + x.std() + x.norm() + x.logsumexp(0).sum()
         + x.cumsum(1).sum() + x.sort(descending=True).values[0, 0] + x.topk(2, 1).values.sum() + x.amax(1).sum() + x.median())
    y.backward()
    return [y, x.grad]


@program
def gradients_of_linear_algebra(dev):
    a = torch.tensor([[4.0, 1.0], [1.0, 3.0]]).to(dev).requires_grad_()
    y = (torch.linalg.inv(a).sum() + torch.linalg.det(a) + torch.linalg.cholesky(a).sum()
         + torch.linalg.eigvalsh(a).max() + torch.linalg.solve(a, torch.ones(2, device=dev)).sum() + torch.linalg.svdvals(a).sum() + a.logdet())
    y.backward()
    return [y, a.grad]


@program
def graph_of_functions(dev):
    x = torch.ones(2, device=dev, requires_grad=True)
    y = ((x * 2).exp() + x).mean()
    names, todo = [], [y.grad_fn]
    while todo:
        f = todo.pop(0)
        names.append(type(f).__name__)
        todo += [g for g, _ in f.next_functions if g is not None]
    return names


@program
def stateless_calls(dev):
    from torch.nn.utils.stateless import functional_call

    net = nn.Linear(3, 2).to(dev)
    params = {name: torch.ones_like(p) for name, p in net.named_parameters()}
    return [functional_call(net, params, (torch.ones(1, 3, device=dev),)),
            nn.utils.parameters_to_vector(net.parameters())]


@program
def scripted_function(dev):
    @torch.jit.script
    def power(x, n: int):
        y = torch.ones_like(x)
        for _ in range(n):
            if bool(y.sum() < 100):
                y = y * x
        return y

    x = torch.tensor([2.0, 3.0], device=dev, requires_grad=True)
    y = power(x, 4)
    y.sum().backward()
    return [y, x.grad, power(x, 2), power(x.detach(), 1)]


@program
def saved_script(dev):
    import io

    net = torch.jit.script(nn.Sequential(nn.Linear(3, 4), nn.Tanh())).to(dev)
    file = io.BytesIO()
    torch.jit.save(net, file)
    file.seek(0)
    x = torch.ones(1, 3, device=dev)
    return [net(x), torch.jit.load(file, map_location=dev)(x)]


@program
def futures(dev):
    @torch.jit.script
    def work(x):
        return (x @ x).sum()

    @torch.jit.script
    def both(x):
        other = torch.jit.fork(work, x)
        mine = work(x + 1)
        return torch.jit.wait(other) + mine

    return [both(torch.eye(3, device=dev))]


@program
def scopes(dev):
    with torch.profiler.record_function("first"):
        x = torch.ones(3, device=dev) * 2
    with torch.autograd.profiler.record_function("second"):
        y = x.sum()
    with torch.autograd.profiler.profile() as profile:
        z = x + 1
    return [x, y, z, any("add" in event.key for event in profile.key_averages())]


@program
def saved_tensor_hooks(dev):
    x, packed = torch.arange(3.0).to(dev).requires_grad_(), []

    def pack(t):
        packed.append(t.shape)
        return t.cpu()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t.to(dev)):
        y = (x * x).exp()
    y.sum().backward()
    return [x.grad, len(packed) > 0]


@program
def gradient_in_a_thread(dev):
    import threading

    x = torch.arange(3.0).to(dev).requires_grad_()
    y = (x**2).sum()
    thread = threading.Thread(target=y.backward)
    thread.start()
    thread.join()
    return [x.grad]


@program
def hook_that_changes_the_gradient(dev):
    net = nn.Linear(3, 1).to(dev)
    handle = net.weight.register_hook(lambda g: g * 10)
    net(torch.ones(1, 3, device=dev)).backward()
    changed = net.weight.grad.clone()
    handle.remove()
    net.zero_grad()
    net(torch.ones(1, 3, device=dev)).backward()
    return [changed, net.weight.grad]


@program
def frozen_before_batch_norm(dev):
    net = nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 2)).to(dev)
    x = torch.randn(4, 1, 6, 6).to(dev)
    net(x).pow(2).sum().backward()
    net[0].requires_grad_(False)
    net.zero_grad()
    net(x).pow(2).sum().backward()
    kept = [p.grad for p in net[1:].parameters()]
    net[1].requires_grad_(False)
    image = x.clone().requires_grad_()
    net(image).pow(2).sum().backward()
    return kept + [image.grad]


@program
def embedding_bags_without_gradients(dev):
    table = grid(dev)
    bags = torch.tensor([[0, 1], [2, 3]], device=dev)
    offsets = torch.tensor([0, 3], device=dev)
    results = [F.embedding_bag(bags, table, mode=mode) for mode in ("sum", "mean", "max")]
    results.append(F.embedding_bag(bags.flatten(), table, offsets, mode="mean"))
    results.append(F.embedding_bag(bags.flatten(), table, torch.tensor([0, 3, 4], device=dev), include_last_offset=True))
    return results
