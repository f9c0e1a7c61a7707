"""Optimisers, schedules, initialisation, data, and classical methods."""

import io

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, random_split

from programs.common import classes, grid, program, regression, train


@program
def every_optimizer(dev):
    kinds = {"SGD": {"momentum": 0.9, "nesterov": True}, "Adam": {"amsgrad": True}, "Adamax": {}, "RAdam": {},
             "ASGD": {}, "Rprop": {}, "RMSprop": {"centered": True, "momentum": 0.5}, "AdamW": {"weight_decay": 0.1}}
    results = []
    for kind, options in kinds.items():
        make = getattr(torch.optim, kind)
        results += train(dev, nn.Linear(3, 2), torch.ones(4, 3), torch.zeros(4, 2),
                         lambda p: make(p, lr=0.01, **options), nn.MSELoss(), steps=3)
    return results


@program
def lbfgs(dev):
    x = torch.tensor([-1.5, 2.0], device=dev, requires_grad=True)
    opt = torch.optim.LBFGS([x], lr=0.5, max_iter=8)

    def closure():
        opt.zero_grad()
        value = (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2
        value.backward()
        return value

    return [opt.step(closure), x]


@program
def sparse_free_embedding_sum(dev):
    bag = nn.EmbeddingBag(6, 3, mode="mean").to(dev)
    out = bag(torch.tensor([0, 1, 5, 2], device=dev), torch.tensor([0, 2], device=dev))
    out.sum().backward()
    return [out, bag.weight.grad]


@program
def momentum_by_hand(dev):
    X, y = (t.to(dev) for t in regression())
    w, v = torch.zeros(3, 1, device=dev, requires_grad=True), torch.zeros(3, 1, device=dev)
    for _ in range(4):
        F.mse_loss(X @ w, y).backward()
        with torch.no_grad():
            v[:] = 0.5 * v + w.grad
            w[:] -= 0.1 * v
            w.grad.data.zero_()
    return [w, v]


@program
def adam_by_hand(dev):
    w = torch.tensor([1.0, -2.0], device=dev, requires_grad=True)
    v, s = torch.zeros_like(w), torch.zeros_like(w)
    for t in range(1, 5):
        (w**4).sum().backward()
        with torch.no_grad():
            v[:] = 0.9 * v + 0.1 * w.grad
            s[:] = 0.999 * s + 0.001 * torch.square(w.grad)
            w -= 0.1 * (v / (1 - 0.9**t)) / (torch.sqrt(s / (1 - 0.999**t)) + 1e-6)
        w.grad.zero_()
    return [w, v, s]


@program
def schedules(dev):
    rates = []
    for make in (lambda o: torch.optim.lr_scheduler.MultiStepLR(o, [1, 3], 0.5),
                 lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 4),
                 lambda o: torch.optim.lr_scheduler.ExponentialLR(o, 0.9),
                 lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda n: 1 / (n + 1)),
                 lambda o: torch.optim.lr_scheduler.OneCycleLR(o, 0.5, total_steps=6),
                 lambda o: torch.optim.lr_scheduler.CyclicLR(o, 0.01, 0.1, step_size_up=2)):
        w = torch.ones(2, device=dev, requires_grad=True)
        opt = torch.optim.SGD([w], 0.2, momentum=0.9)
        schedule = make(opt)
        for _ in range(4):
            opt.zero_grad()
            w.square().sum().backward()
            opt.step()
            schedule.step()
            rates.append(opt.param_groups[0]["lr"])
        rates.append(w)
    return rates


@program
def schedule_on_a_plateau(dev):
    w = torch.ones(2, device=dev, requires_grad=True)
    opt = torch.optim.SGD([w], 1.0)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1, factor=0.5)
    for _ in range(5):
        opt.zero_grad()
        loss = w.abs().sum()
        loss.backward()
        opt.step()
        schedule.step(loss)
    return [w, opt.param_groups[0]["lr"]]


@program
def optimizer_state(dev):
    def steps(net, opt, n):
        for _ in range(n):
            opt.zero_grad()
            net(torch.ones(2, 3, device=dev)).square().sum().backward()
            opt.step()

    net = nn.Linear(3, 2).to(dev)
    opt = torch.optim.Adam(net.parameters(), 0.1)
    steps(net, opt, 2)
    file = io.BytesIO()
    torch.save({"net": net.state_dict(), "opt": opt.state_dict()}, file)
    steps(net, opt, 2)
    file.seek(0)
    saved = torch.load(file, map_location=dev)
    again = nn.Linear(3, 2).to(dev)
    other = torch.optim.Adam(again.parameters(), 0.1)
    again.load_state_dict(saved["net"])
    other.load_state_dict(saved["opt"])
    steps(again, other, 2)
    return [net.weight, again.weight, torch.equal(net.weight, again.weight)]


@program
def accumulated_gradients(dev):
    X, y = (t.to(dev) for t in regression(16))
    net = nn.Linear(3, 1).to(dev)
    for part in range(4):
        (F.mse_loss(net(X[4 * part : 4 * part + 4]), y[4 * part : 4 * part + 4]) / 4).backward()
    total = net.weight.grad.clone()
    net.zero_grad()
    F.mse_loss(net(X), y).backward()
    return [total, net.weight.grad, torch.allclose(total, net.weight.grad, atol=1e-5)]


@program
def gradient_penalty(dev):
    D = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).to(dev)
    a, b, mix = (torch.randn(5, 3).to(dev), torch.randn(5, 3).to(dev), torch.rand(5, 1).to(dev))
    x = (mix * a + (1 - mix) * b).requires_grad_()
    (g,) = torch.autograd.grad(D(x).sum(), x, create_graph=True)
    penalty = ((g.norm(2, dim=1) - 1) ** 2).mean()
    penalty.backward()
    return [penalty, D[0].weight.grad]


@program
def clipped_gradients(dev):
    net = nn.Linear(3, 2).to(dev)
    (net(torch.ones(2, 3, device=dev)) * 100).square().sum().backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 0.5, norm_type=2)
    whole = nn.utils.parameters_to_vector([p.grad for p in net.parameters()])
    return [norm, whole, whole.norm()]


@program
def initial_weights(dev):
    results = []
    for init in (nn.init.xavier_uniform_, nn.init.xavier_normal_, nn.init.kaiming_uniform_, nn.init.kaiming_normal_,
                 nn.init.orthogonal_, lambda w: nn.init.normal_(w, 0, 0.01), lambda w: nn.init.uniform_(w, -1, 1),
                 lambda w: nn.init.trunc_normal_(w, std=0.02), nn.init.eye_):
        torch.manual_seed(4)
        results.append(init(torch.empty(4, 4)).to(dev))
        torch.manual_seed(4)
        results.append(init(torch.empty(4, 4, device=dev)))
    return results


@program
def applied_initialisation(dev):
    def init(m):
        if type(m) == nn.Linear:
            nn.init.normal_(m.weight, std=0.1)
            nn.init.zeros_(m.bias)

    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Sequential(nn.Linear(4, 2)))
    net.apply(init)
    net.to(dev)
    return [p for p in net.parameters()] + [n for n, _ in net.named_parameters()]


@program
def shared_parameters(dev):
    shared = nn.Linear(3, 3)
    net = nn.Sequential(shared, nn.ReLU(), shared).to(dev)
    net(torch.ones(1, 3, device=dev)).sum().backward()
    net[0].weight.data[0, 0] = 100
    return [shared.weight.grad, net[2].weight[0, 0], len(list(net.parameters()))]


@program
def frozen_layers(dev):
    net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)).to(dev)
    for p in net[0].parameters():
        p.requires_grad = False
    before = net[0].weight.clone()
    opt = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), 0.1)
    net(torch.ones(2, 3, device=dev)).sum().backward()
    opt.step()
    return [torch.equal(before, net[0].weight), net[1].weight, net[0].weight.grad is None]


@program
def hooks_of_modules(dev):
    seen = []
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)).to(dev)
    net[0].register_forward_hook(lambda m, i, o: seen.append(o.shape))
    net[2].register_forward_pre_hook(lambda m, i: (i[0] * 2,))
    net[2].register_full_backward_hook(lambda m, i, o: seen.append(o[0].sum().item()))
    net(torch.ones(2, 3, device=dev)).sum().backward()
    return [seen, net[0].weight.grad]


@program
def buffers_and_modes(dev):
    net = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5)).to(dev)
    X = torch.randn(4, 3).to(dev)
    net[0](X)
    net.eval()
    out = net(X)
    return [out, net[0].running_mean, net[0].num_batches_tracked, net.training, sorted(net.state_dict())]


@program
def containers(dev):
    layers = nn.ModuleDict({"a": nn.Linear(2, 3), "b": nn.Linear(3, 1)}).to(dev)
    extra = nn.ParameterList([nn.Parameter(torch.ones(2) * i) for i in range(3)]).to(dev)
    x = sum(p for p in extra)
    return [layers["b"](torch.relu(layers["a"](x))), sum(p.numel() for p in extra),
            all(p.device == x.device for p in extra)]


@program
def weight_norm_and_spectral_norm(dev):
    a = nn.utils.weight_norm(nn.Linear(3, 2)).to(dev)
    b = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2)).to(dev)
    x = torch.ones(1, 3, device=dev)
    (a(x).sum() + b(x).sum()).backward()
    return [a(x), a.weight_g.grad, a.weight_v.grad, b(x)]


@program
def pruning(dev):
    from torch.nn.utils import prune

    layer = nn.Linear(4, 3).to(dev)
    prune.l1_unstructured(layer, "weight", amount=0.5)
    out = layer(torch.ones(1, 4, device=dev))
    return [out, layer.weight_mask.sum()]


@program
def half_precision(dev):
    x = torch.randn(4, 4).to(dev)
    y = (x.bfloat16() @ x.bfloat16()).float()
    scaled = (x.half() * 2).float()
    return [y, scaled, x.half().dtype == torch.float16, (x.double() @ x.double()).float()]


@program
def mixed_precision_loop(dev):
    net, X = nn.Linear(4, 2).to(dev), torch.randn(3, 4).to(dev)
    master = [p.detach().clone() for p in net.parameters()]
    low = nn.Linear(4, 2).to(dev).bfloat16()
    for p, m in zip(low.parameters(), master):
        p.data.copy_(m)
    low(X.bfloat16()).float().pow(2).mean().backward()
    for p, m in zip(low.parameters(), master):
        m -= 0.1 * p.grad.float()
    return master


@program
def averaged_model(dev):
    net = nn.Linear(2, 1).to(dev)
    average = torch.optim.swa_utils.AveragedModel(net)
    opt = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(3):
        opt.zero_grad()
        net(torch.ones(2, 2, device=dev)).square().sum().backward()
        opt.step()
        average.update_parameters(net)
    return [net.weight, average.module.weight, average.n_averaged]


@program
def closest_centres(dev):
    X = torch.cat([torch.randn(10, 2), torch.randn(10, 2) + 4]).to(dev)
    centres = X[[0, 15]].clone()
    for _ in range(4):
        nearest = torch.cdist(X, centres).argmin(1)
        for k in range(2):
            centres[k] = X[nearest == k].mean(0)
    return [centres, nearest]


@program
def nearest_neighbours(dev):
    X, y = (t.to(dev) for t in classes(20, 4, 3))
    d = ((X[:, None] - X[None]) ** 2).sum(-1)
    nearest = d.topk(3, largest=False).indices
    votes = torch.zeros(20, 3, device=dev).scatter_add_(1, y[nearest], torch.ones(20, 3, device=dev))
    return [nearest, votes, (votes.argmax(1) == y).float().mean(), torch.mode(y[nearest], 1).values]


@program
def principal_components(dev):
    X = torch.randn(20, 3).to(dev) * torch.tensor([3.0, 1.0, 0.1], device=dev)
    X = X - X.mean(0)
    U, S, Vh = torch.linalg.svd(X, full_matrices=False)
    values = torch.linalg.eigh(X.T @ X / 19).eigenvalues
    return [S, values, (X @ Vh[:2].T).abs(), torch.cov(X.T), torch.corrcoef(X.T)]


@program
def gaussian_process(dev):
    x = torch.linspace(0, 1, 6).to(dev)
    K = torch.exp(-((x[:, None] - x[None]) ** 2) / 0.02) + 1e-3 * torch.eye(6, device=dev)
    L = torch.linalg.cholesky(K)
    alpha = torch.cholesky_solve(torch.sin(6 * x)[:, None], L)
    return [alpha, 2 * L.diagonal().log().sum(), torch.logdet(K), torch.triu(L.T)]


@program
def distributions(dev):
    from torch import distributions as D

    mean, scale = grid(dev, 1, 3), torch.ones(3, device=dev) * 2
    p, q = D.Normal(mean, scale), D.Normal(torch.zeros_like(mean), scale)
    return [p.log_prob(mean + 1), D.kl_divergence(p, q), p.entropy(),
            D.Bernoulli(logits=mean).log_prob(torch.ones_like(mean)),
            D.Exponential(scale).log_prob(scale),
            D.MultivariateNormal(mean[0], torch.eye(3, device=dev)).log_prob(mean[0])]


@program
def own_data_set(dev):
    class Squares(Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, i):
            return torch.tensor([float(i)]), torch.tensor([float(i * i)])

    train_part, test_part = random_split(Squares(), [7, 3], generator=torch.Generator().manual_seed(1))
    net, seen = nn.Linear(1, 1).to(dev), []
    opt = torch.optim.SGD(net.parameters(), 1e-4)
    for X, y in DataLoader(train_part, batch_size=3, shuffle=True, drop_last=True):
        opt.zero_grad()
        loss = F.mse_loss(net(X.to(dev)), y.to(dev))
        loss.backward()
        opt.step()
        seen.append(loss)
    net.eval()
    with torch.no_grad():
        return seen + [net(X.to(dev)) for X, _ in DataLoader(test_part, 2)]


@program
def loader_with_workers(dev):
    data = [(torch.full((2,), float(i)), i % 3) for i in range(12)]
    loader = DataLoader(data, batch_size=4, num_workers=2, pin_memory=False)
    return [[X.to(dev, non_blocking=True).sum(0), y.to(dev)] for X, y in loader]


@program
def early_stopping(dev):
    X, y = (t.to(dev) for t in regression())
    net, best, history = nn.Linear(3, 1).to(dev), float("inf"), []
    opt = torch.optim.Adam(net.parameters(), 0.3)
    for _ in range(6):
        net.train()
        opt.zero_grad()
        loss = F.mse_loss(net(X[:24]), y[:24])
        loss.backward()
        opt.step()
        net.eval()
        with torch.no_grad():
            valid = F.mse_loss(net(X[24:]), y[24:]).item()
        history.append(valid)
        if valid > best:
            break
        best, kept = valid, {k: v.clone() for k, v in net.state_dict().items()}
    net.load_state_dict(kept)
    return history + [net.weight]


@program
def confusion_matrix(dev):
    labels, said = torch.tensor([0, 1, 2, 2, 1], device=dev), torch.tensor([0, 2, 2, 2, 1], device=dev)
    matrix = torch.zeros(3, 3, dtype=torch.int64, device=dev)
    for t, p in zip(labels, said):
        matrix[t.long(), p.long()] += 1
    counted = torch.bincount(labels * 3 + said, minlength=9).reshape(3, 3)
    return [matrix, torch.equal(matrix, counted), matrix.diag() / matrix.sum(1)]


@program
def label_smoothing_and_weights(dev):
    logits = torch.randn(4, 3).to(dev).requires_grad_()
    labels = torch.tensor([0, 1, 2, 1], device=dev)
    weight = torch.tensor([0.2, 0.3, 0.5], device=dev)
    losses = [nn.CrossEntropyLoss(label_smoothing=0.1)(logits, labels),
              nn.CrossEntropyLoss(weight=weight)(logits, labels),
              F.cross_entropy(logits, F.one_hot(labels, 3).float()), F.multi_margin_loss(logits, labels)]
    sum(losses).backward()
    return losses + [logits.grad]
