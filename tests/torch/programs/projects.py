"""Projects at the end of courses: models for images, sentences, graphs and games, and the loops around them."""

import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from programs.common import classes, program, regression


@program
def buffers_and_submodules(dev):
    class Normalise(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.register_buffer("mean", torch.zeros(n))
            self.register_buffer("steps", torch.tensor(0), persistent=False)
            self.scale = nn.ParameterList([nn.Parameter(torch.ones(n)) for _ in range(2)])
            self.parts = nn.ModuleDict({"a": nn.Linear(n, n), "b": nn.Identity()})

        def forward(self, x, part="a"):
            if self.training:
                self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
                self.steps += 1
            return self.parts[part]((x - self.mean) * self.scale[0] + self.scale[1])

    torch.manual_seed(2)
    net, x = Normalise(3).to(dev), torch.randn(6, 3).to(dev)
    net(x), net(x, "b")
    twin = copy.deepcopy(net).eval()
    return [twin(x), net.mean, net.steps.item(), sorted(net.state_dict()), [n for n, _ in net.named_buffers()],
            {p.device.type for p in net.parameters()} == {dev}]


@program
def u_net(dev):
    class Block(nn.Sequential):
        def __init__(self, i, o):
            super().__init__(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.GroupNorm(2, o), nn.SiLU())

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down, self.middle, self.out = Block(1, 4), Block(4, 8), nn.Conv2d(8, 2, 1)
            self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)

        def forward(self, x):
            skip = self.down(x)
            x = self.middle(F.max_pool2d(skip, 2))
            return self.out(torch.cat([self.up(x), skip], 1))

    net, x = UNet().to(dev), torch.randn(2, 1, 8, 8).to(dev)
    mask = (x[:, 0] > 0).long()
    opt, losses = torch.optim.Adam(net.parameters(), 0.01), []
    for _ in range(2):
        logits = net(x)
        p = logits.softmax(1)[:, 1]
        dice = 1 - (2 * (p * mask).sum() + 1) / (p.sum() + mask.sum() + 1)
        loss = F.cross_entropy(logits, mask) + dice
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    overlap = ((logits.argmax(1) & mask).sum() / (logits.argmax(1) | mask).sum()).item()
    return losses + [0 <= overlap <= 1, F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False).mean()]


@program
def spatial_transformer(dev):
    x = torch.randn(2, 1, 6, 6).to(dev)
    theta = torch.tensor([[[1.0, 0.2, 0.0], [0.0, 1.0, 0.1]]]).to(dev).repeat(2, 1, 1).requires_grad_()
    grid = F.affine_grid(theta, x.shape, align_corners=False)
    warped = F.grid_sample(x, grid, padding_mode="border", align_corners=False)
    warped.pow(2).mean().backward()
    small = F.pixel_unshuffle(x, 2)
    return [warped, theta.grad, F.pixel_shuffle(small, 2).equal(x), F.pad(x, (1, 1, 2, 0), mode="replicate").shape[-2:]]


@program
def replay_and_target_network(dev):
    policy = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to(dev)
    target = copy.deepcopy(policy)
    opt = torch.optim.Adam(policy.parameters(), lr=0.01)
    memory = [(torch.randn(4), i % 2, float(i), torch.randn(4), i % 5 == 0) for i in range(16)]
    for step in range(3):
        states, actions, rewards, following, done = zip(*memory[step * 4 : step * 4 + 4])
        s, n = torch.stack(states).to(dev), torch.stack(following).to(dev)
        a, r = torch.tensor(actions, device=dev), torch.tensor(rewards, device=dev)
        q = policy(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = target(n).max(1)[0] * (~torch.tensor(done, device=dev)).float()
        loss = F.smooth_l1_loss(q, r + 0.9 * best)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for t, p in zip(target.parameters(), policy.parameters()):
            t.data.lerp_(p.data, 0.1)
    action = policy(states[0].to(dev)).argmax().item()
    return [loss, action in (0, 1), *target.parameters()]


@program
def policy_with_distributions(dev):
    from torch.distributions import Categorical, Normal, kl_divergence

    net = nn.Linear(3, 4).to(dev)
    states, actions = torch.randn(5, 3).to(dev), torch.tensor([0, 1, 2, 3, 0]).to(dev)
    d = Categorical(logits=net(states))
    returns = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], device=dev)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = -(d.log_prob(actions) * returns).mean() - 0.01 * d.entropy().mean()
    loss.backward()
    between = kl_divergence(Normal(torch.zeros(2, device=dev), torch.ones(2, device=dev)),
                            Normal(torch.ones(2, device=dev), 2 * torch.ones(2, device=dev)))
    sample = Normal(torch.zeros(3, device=dev), 1.0).rsample()
    return [loss, net.weight.grad, between, d.sample().shape, sample.shape]


@program
def physics_informed(dev):
    net = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 1)).to(dev)
    opt = torch.optim.LBFGS(net.parameters(), max_iter=5, line_search_fn="strong_wolfe")
    x = torch.linspace(0, 1, 9).to(dev)[:, None].requires_grad_()

    def closure():
        opt.zero_grad()
        u = net(x)
        (du,) = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)
        (ddu,) = torch.autograd.grad(du.sum(), x, create_graph=True)
        loss = ((ddu + u) ** 2).mean() + (net(torch.zeros(1, 1, device=dev)) - 1).pow(2).sum()
        loss.backward()
        return loss

    losses = [opt.step(closure).item() for _ in range(2)]
    return [losses[1] < losses[0], round(losses[0], 4)]


@program
def low_rank_adapters(dev):
    class LoRA(nn.Module):
        def __init__(self, base, rank=2):
            super().__init__()
            self.base = base.requires_grad_(False)
            self.A = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
            self.B = nn.Parameter(torch.zeros(base.out_features, rank))

        def forward(self, x):
            return self.base(x) + x @ self.A.T @ self.B.T

    net = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 3))
    for i in (0, 2):
        net[i] = LoRA(net[i])
    net = net.to(dev)
    X, y = (t.to(dev) for t in classes(16))
    trained = [p for p in net.parameters() if p.requires_grad]
    opt = torch.optim.AdamW([{"params": trained[:2], "lr": 0.1}, {"params": trained[2:]}], lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        F.cross_entropy(net(X), y).backward()
        opt.step()
    return [*trained, sum(p.numel() for p in trained), net[0].base.weight.grad is None]


@program
def pairs_and_triplets(dev):
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)).to(dev)
    a, p, n = (net(torch.randn(6, 4).to(dev)) for _ in range(3))
    z = F.normalize(torch.cat([a, p]), dim=1)
    similar = (z @ z.t() / 0.5).masked_fill(torch.eye(12, device=dev).bool(), -1e9)
    contrast = F.cross_entropy(similar, torch.arange(12, device=dev).roll(6))
    losses = [nn.TripletMarginLoss(margin=1.0)(a, p, n), contrast, F.pairwise_distance(a, n).mean(),
              nn.CosineEmbeddingLoss(margin=0.2)(a, n, -torch.ones(6, device=dev)),
              F.margin_ranking_loss(a[:, 0], n[:, 0], torch.ones(6, device=dev))]
    sum(losses).backward()
    return losses + [net[0].weight.grad]


@program
def sequence_labels_without_alignment(dev):
    logits = torch.randn(7, 2, 5).to(dev).requires_grad_()
    targets, lengths = torch.tensor([1, 2, 3, 1]), torch.tensor([3, 1])
    loss = F.ctc_loss(logits.log_softmax(2), targets, torch.tensor([7, 6]), lengths, blank=0)
    loss.backward()
    best = [torch.unique_consecutive(row).tolist() for row in logits.argmax(2).t()]
    return [loss, logits.grad, [[c for c in row if c != 0] for row in best]]


@program
def mixed_samples_and_focal_loss(dev):
    X, y = (t.to(dev) for t in classes(12))
    net = nn.Linear(5, 3).to(dev)
    order, share = torch.arange(11, -1, -1, device=dev), 0.3
    mixed = share * X + (1 - share) * X[order]
    logits = net(mixed)
    loss = share * F.cross_entropy(logits, y) + (1 - share) * F.cross_entropy(logits, y[order])
    p = torch.exp(-F.cross_entropy(logits, y, reduction="none"))
    focal = ((1 - p) ** 2 * -torch.log(p)).mean()
    (loss + focal).backward()
    top = (logits.topk(2, dim=1).indices == y[:, None]).any(1).float().mean()
    table = torch.zeros(3, 3, dtype=torch.long, device=dev)
    table.index_put_((y, logits.argmax(1)), torch.ones(12, dtype=torch.long, device=dev), accumulate=True)
    precision = table.diag() / table.sum(0).clamp(min=1)
    return [loss, focal, top, table, precision, net.bias.grad]


@program
def messages_in_a_graph(dev):
    edges = torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]]).to(dev)
    x = torch.randn(4, 3).to(dev)
    weight = nn.Linear(3, 2, bias=False).to(dev)
    degree = torch.zeros(4, device=dev).scatter_add_(0, edges[1], torch.ones(5, device=dev))
    summed = torch.zeros(4, 2, device=dev).index_add_(0, edges[1], weight(x)[edges[0]])
    most = torch.full((4, 3), -9.0, device=dev).scatter_reduce(0, edges[1][:, None].expand(-1, 3), x[edges[0]], "amax")
    out = summed / degree.clamp(min=1)[:, None]
    out.relu().sum().backward()
    dense = torch.zeros(4, 4, device=dev)
    dense[edges[1], edges[0]] = 1
    return [out, torch.allclose(dense @ weight(x), summed, atol=1e-5), most, weight.weight.grad,
            torch.linalg.matrix_power(dense, 3)]


@program
def translation_with_packed_sentences(dev):
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

    sentences = [torch.tensor(s) for s in ([3, 4, 5], [6, 7], [8])]
    lengths = torch.tensor([len(s) for s in sentences])
    padded = pad_sequence(sentences, batch_first=True).to(dev)
    embed, encoder, decoder = nn.Embedding(10, 4, padding_idx=0), nn.LSTM(4, 6, bidirectional=True), nn.LSTMCell(4, 12)
    head = nn.Linear(12, 10)
    net = nn.ModuleList([embed, encoder, decoder, head]).to(dev)
    packed = pack_padded_sequence(embed(padded).transpose(0, 1), lengths)
    out, (h, c) = encoder(packed)
    out, sizes = pad_packed_sequence(out)
    state = (torch.cat([h[0], h[1]], 1), torch.cat([c[0], c[1]], 1))
    loss, word = 0, torch.ones(3, dtype=torch.long, device=dev)
    for t in range(3):
        state = decoder(embed(word), state)
        logits = head(state[0])
        loss = loss + F.cross_entropy(logits, padded[:, t], ignore_index=0)
        word = padded[:, t] if t % 2 == 0 else logits.argmax(1)
    loss.backward()
    return [loss, out.sum(-1), sizes, embed.weight.grad]


@program
def folds_and_early_stopping(dev):
    X, y = (t.to(dev) for t in regression(20))
    scores = []
    for fold in range(4):
        held = torch.zeros(20, dtype=torch.bool, device=dev)
        held[fold * 5 : fold * 5 + 5] = True
        w, best, patience, kept = torch.zeros(3, 1, device=dev, requires_grad=True), float("inf"), 0, None
        for _ in range(30):
            (g,) = torch.autograd.grad(((X[~held] @ w + 3 - y[~held]) ** 2).mean() + 0.01 * w.norm() ** 2, w)
            with torch.no_grad():
                w -= 0.1 * g
                score = ((X[held] @ w + 3 - y[held]) ** 2).mean().item()
            if score < best - 1e-3:
                best, patience, kept = score, 0, w.detach().clone()
            else:
                patience += 1
                if patience == 3:
                    break
        scores.append(best)
    return [torch.tensor(scores).mean(), kept, X[~held].std(0, unbiased=False)]


@program
def averages_and_warm_restarts(dev):
    from torch.optim.swa_utils import AveragedModel, SWALR, update_bn

    X, y = (t.to(dev) for t in classes(24))
    net = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.Hardswish(), nn.Linear(8, 3)).to(dev)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    cosine = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=2, T_mult=2)
    averaged, swa, rates = AveragedModel(net), SWALR(opt, swa_lr=0.02, anneal_epochs=1), []
    loader = DataLoader(TensorDataset(X, y), 8)
    for epoch in range(5):
        for xb, yb in loader:
            opt.zero_grad()
            F.nll_loss(F.log_softmax(net(xb), 1), yb).backward()
            opt.step()
        if epoch >= 3:
            averaged.update_parameters(net)
            swa.step()
        else:
            cosine.step()
        rates.append(round(opt.param_groups[0]["lr"], 5))
    update_bn(loader, averaged)
    return rates + [averaged.n_averaged, averaged(X), averaged.module[1].running_mean]


@program
def printed_tensors(dev):
    x = torch.arange(6.0).reshape(2, 3).to(dev)
    return [str(v).replace(", device='cuda:0'", "") for v in (
        x, x.long(), x > 2, x[0, 0], x.clone().requires_grad_(), (x * 2).sum(), x * 1e6, x / 3e5,
        torch.empty(0, device=dev), torch.tensor([float("nan"), float("inf")], device=dev),
        torch.zeros(50, 50, device=dev), nn.Parameter(torch.ones(2, device=dev)), {"a": x[0]}, x.shape,
        torch.complex(x, x), nn.Linear(2, 1).to(dev))] + [
            f"{x.max():.2f} {x.sum().item():>8.1f} {x[1, 2]:g} {x.shape[0]}", "%.3f" % x.mean()]
