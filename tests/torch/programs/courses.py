"""Whole exercises of courses: training loops with all that surrounds them, as students hand them in."""

import io
import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, WeightedRandomSampler, random_split

from programs.common import classes, program, regression


@program
def one_cycle_training(dev):
    X, y = (t.to(dev) for t in classes(32))
    net = nn.Sequential(nn.Linear(5, 16), nn.GELU(), nn.Dropout(0.0), nn.Linear(16, 3)).to(dev)
    opt = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.05, total_steps=12)
    history = []
    for epoch in range(3):
        net.train()
        for i in range(0, 32, 8):
            opt.zero_grad(set_to_none=True)
            loss = F.cross_entropy(net(X[i : i + 8]), y[i : i + 8], label_smoothing=0.1)
            loss.backward()
            opt.step()
            schedule.step()
        net.eval()
        with torch.inference_mode():
            accuracy = (net(X).argmax(dim=-1) == y).float().mean()
        history.append(f"epoch {epoch}: loss {loss:.3f}, accuracy {accuracy:.2%}, lr {schedule.get_last_lr()[0]:.5f}")
    return history


@program
def text_generation(dev):
    text = "hello world, hello torch. " * 2
    letters = sorted(set(text))
    index = {c: i for i, c in enumerate(letters)}
    data = torch.tensor([index[c] for c in text]).to(dev)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(len(letters), 8)
            self.rnn = nn.GRU(8, 16, num_layers=2, batch_first=True)
            self.head = nn.Linear(16, len(letters))

        def forward(self, x, h=None):
            y, h = self.rnn(self.embed(x), h)
            return self.head(y), h

    model = Model().to(dev)
    opt = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(6):
        logits, _ = model(data[None, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), data[1:])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
    written, h = [index["h"]], None
    model.eval()
    with torch.no_grad():
        for _ in range(10):
            logits, h = model(torch.tensor([[written[-1]]], device=dev), h)
            p = F.softmax(logits[0, -1] / 0.8, dim=-1)
            written.append(torch.topk(p, 2).indices[0].item())
    return ["".join(letters[i] for i in written), f"perplexity {math.exp(loss.item()):.3f}"]


@program
def causal_transformer(dev):
    vocabulary, width, length = 11, 16, 6
    x = torch.randint(vocabulary, (4, length + 1)).to(dev)
    embed, places = nn.Embedding(vocabulary, width), nn.Parameter(torch.zeros(length, width))
    layer = nn.TransformerEncoderLayer(width, 4, 32, dropout=0.0, batch_first=True, norm_first=True)
    encoder, head = nn.TransformerEncoder(layer, 2), nn.Linear(width, vocabulary)
    model = nn.ModuleDict({"embed": embed, "encoder": encoder, "head": head}).to(dev)
    places = nn.Parameter(places.data.to(dev))
    head.weight = embed.weight
    mask = nn.Transformer.generate_square_subsequent_mask(length).to(dev)
    opt = torch.optim.SGD([*model.parameters(), places], lr=0.1, momentum=0.9, nesterov=True)
    for _ in range(3):
        logits = head(encoder(embed(x[:, :-1]) + places, mask=mask))
        loss = F.cross_entropy(logits.transpose(1, 2), x[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():  # what comes later changes nothing before
        later = x.clone()
        later[:, 4] = 0
        a, b = (encoder(embed(t[:, :-1]) + places, mask=mask)[:, :4] for t in (x, later))
    return [loss, torch.allclose(a, b, atol=1e-5), sum(p.numel() for p in model.parameters())]


@program
def generative_adversaries(dev):
    real = torch.randn(64, 2) @ torch.tensor([[1.0, 2.0], [-0.1, 0.5]]) + torch.tensor([1.0, 2.0])
    noise = torch.randn(6, 16, 3).to(dev)
    G = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 2)).to(dev)
    D = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)).to(dev)
    opt_g, opt_d = (torch.optim.Adam(n.parameters(), lr=0.01, betas=(0.5, 0.999)) for n in (G, D))
    criterion = nn.BCEWithLogitsLoss()
    ones, zeros = torch.ones((16,), device=dev), torch.zeros((16,), device=dev)
    for step, (batch,) in enumerate(DataLoader(TensorDataset(real), 16)):
        batch = batch.to(dev)
        opt_d.zero_grad()
        fake = G(noise[step])
        loss_d = (criterion(D(batch).squeeze(), ones) + criterion(D(fake.detach()).squeeze(), zeros)) / 2
        loss_d.backward()
        opt_d.step()
        opt_g.zero_grad()
        loss_g = criterion(D(fake).view(-1), ones)
        loss_g.backward()
        opt_g.step()
    return [loss_d, loss_g, G(noise[-1]).mean(0), f"{loss_d.item():.4f} {loss_g.item():.4f}"]


@program
def own_functions_of_autograd(dev):
    class Swish(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, beta):
            ctx.save_for_backward(x)
            ctx.beta = beta
            return x * torch.sigmoid(beta * x)

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            s = torch.sigmoid(ctx.beta * x)
            return gradient * (s + ctx.beta * x * s * (1 - s)), None

    class Quantise(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, levels):
            ctx.mark_non_differentiable(levels)
            return (x[:, None] - levels).abs().argmin(1).float(), levels

        @staticmethod
        def backward(ctx, gradient, _):
            return gradient if ctx.needs_input_grad[0] else None, None

    x = torch.linspace(-2, 2, 7).to(dev).double().requires_grad_()
    checked = torch.autograd.gradcheck(lambda t: Swish.apply(t, 1.5), (x,))
    y, _ = Quantise.apply(Swish.apply(x, 1.5).float(), torch.tensor([0.0, 1.0, 2.0], device=dev))
    y.sum().backward()
    return [checked, x.grad, y]


@program
def data_sets_and_samplers(dev):
    class Points(Dataset):
        def __init__(self, n, transform=None):
            self.x, self.y, self.transform = torch.arange(n * 2.0).view(n, 2), torch.arange(n) % 3, transform

        def __len__(self):
            return len(self.x)

        def __getitem__(self, i):
            x = self.x[i]
            return (self.transform(x) if self.transform else x), self.y[i]

    class Numbers(IterableDataset):
        def __iter__(self):
            return iter(torch.arange(7.0))

    train, test = random_split(Points(20, lambda x: x / 10), [15, 5], generator=torch.Generator().manual_seed(1))
    weights = torch.tensor([1.0, 5.0, 1.0])[torch.arange(20) % 3][train.indices]
    sampler = WeightedRandomSampler(weights, 12, generator=torch.Generator().manual_seed(2))

    def collate(rows):
        xs, ys = zip(*rows)
        return {"x": torch.stack(xs), "y": torch.stack(ys), "n": len(rows)}

    out = []
    for batch in DataLoader(train, batch_size=5, sampler=sampler, collate_fn=collate, drop_last=True):
        moved = {k: v.to(dev) if isinstance(v, torch.Tensor) else v for k, v in batch.items()}
        out += [moved["x"].sum(), F.one_hot(moved["y"], 3).sum(0), moved["n"]]
    out += [x.to(dev).mean() for x in DataLoader(Numbers(), 3)]
    return out + [len(test), [y.to(dev) for _, y in test]]


@program
def accumulation_and_clipping(dev):
    X, y = (t.to(dev) for t in regression(24))
    net = nn.Sequential(nn.Linear(3, 6), nn.Softplus(), nn.Linear(6, 1)).to(dev)
    opt = torch.optim.RMSprop(net.parameters(), lr=0.01, momentum=0.5, centered=True)
    norms = []
    for epoch in range(2):
        for i, (xb, yb) in enumerate(zip(X.split(4), y.split(4))):
            (F.huber_loss(net(xb), yb) / 3).backward()
            if (i + 1) % 3 == 0:
                norms.append(nn.utils.clip_grad_norm_(net.parameters(), 0.5).item())
                nn.utils.clip_grad_value_(net.parameters(), 0.1)
                opt.step()
                opt.zero_grad()
    return norms + [nn.utils.parameters_to_vector(net.parameters())]


@program
def initialised_by_hand(dev):
    def init(m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight, gain=nn.init.calculate_gain("relu"))
            nn.init.constant_(m.bias, 0.1)
        elif isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(m, nn.BatchNorm2d):
            nn.init.ones_(m.weight)
            nn.init.zeros_(m.bias)

    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 4))
    net.apply(init)
    square, w = torch.empty(4, 4), torch.empty(3, 5)
    nn.init.orthogonal_(square)
    nn.init.trunc_normal_(w, std=0.02)
    net, square = net.to(dev), square.to(dev)
    x = torch.randn(2, 1, 4, 4).to(dev)
    eye = nn.init.eye_(torch.empty(3, 3, device=dev))
    dirac = nn.init.dirac_(torch.empty(2, 2, 3, device=dev))
    return [net(x), torch.allclose(square @ square.T, torch.eye(4, device=dev), atol=1e-5), eye, dirac, w.to(dev).std() < 0.1]


@program
def saved_and_resumed(dev):
    X, y = (t.to(dev) for t in regression(16))

    def fresh():
        net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1)).to(dev)
        opt = torch.optim.Adam(net.parameters(), lr=0.05)
        return net, opt, torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)

    def steps(net, opt, schedule, n):
        for _ in range(n):
            opt.zero_grad()
            F.mse_loss(net(X), y).backward()
            opt.step()
            schedule.step()

    first = fresh()
    steps(*first, 3)
    file = io.BytesIO()
    torch.save({"epoch": 3, "model": first[0].state_dict(), "optimizer": first[1].state_dict(),
                "schedule": first[2].state_dict()}, file)
    steps(*first, 3)
    file.seek(0)
    saved = torch.load(file, map_location=dev)
    again = fresh()
    for part, name in zip(again, ("model", "optimizer", "schedule")):
        part.load_state_dict(saved[name])
    steps(*again, 3)
    file.seek(0)
    on_cpu = torch.load(file, map_location="cpu")["model"]
    partly = nn.Sequential(nn.Linear(3, 4))
    keys = partly.load_state_dict(on_cpu, strict=False)
    same = all(torch.equal(a, b) for a, b in zip(first[0].state_dict().values(), again[0].state_dict().values()))
    return [saved["epoch"], same, sorted(keys.unexpected_keys), on_cpu["0.weight"].device.type, first[0](X)]


@program
def hooks_that_look(dev):
    seen = []
    net = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)).to(dev)
    handles = [net[1].register_forward_hook(lambda m, i, o: seen.append(o.detach().std())),
               net[0].register_full_backward_hook(lambda m, gi, go: seen.append(go[0].norm())),
               net[2].register_forward_pre_hook(lambda m, i: (i[0] * 2,)),
               net[2].weight.register_hook(lambda g: g.clamp(-0.1, 0.1))]
    x = torch.randn(5, 4).to(dev)
    net(x).pow(2).sum().backward()
    for h in handles:
        h.remove()
    net(x)
    return seen + [net[2].weight.grad, len(seen)]


@program
def attention_by_einsum(dev):
    q, k, v = (torch.randn(2, 5, 3, 4).to(dev) for _ in range(3))
    lengths = torch.tensor([3, 5]).to(dev)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(4)
    padding = torch.arange(5, device=dev)[None, :] >= lengths[:, None]
    scores = scores.masked_fill(padding[:, None, None, :], float("-inf"))
    causal = torch.triu(torch.ones(5, 5, dtype=torch.bool, device=dev), diagonal=1)
    weights = scores.masked_fill(causal, -1e9).softmax(-1)
    out = torch.einsum("bhqk,bkhd->bqhd", weights, v).reshape(2, 5, -1)
    rotary = torch.view_as_real(torch.view_as_complex(q.reshape(2, 5, 3, 2, 2)) * torch.polar(
        torch.ones(2, device=dev), torch.tensor([0.1, 0.2], device=dev))).flatten(3)
    return [out, weights.sum(-1), weights[0, :, :, 3:].abs().max().item() < 1e-6, rotary]


@program
def embeddings_with_options(dev):
    bag = nn.EmbeddingBag(10, 4, mode="sum").to(dev)
    table = nn.Embedding(10, 4, padding_idx=0, max_norm=1.0).to(dev)
    words = torch.tensor([[1, 2, 0], [3, 1, 9]]).to(dev)
    rows = table(words)
    rows.sum().backward()
    ready = nn.Embedding.from_pretrained(torch.eye(4), freeze=True).to(dev)
    similar = F.cosine_similarity(table.weight[1:].detach(), table.weight[2].detach(), dim=-1).argsort(descending=True)
    return [rows.norm(dim=-1) <= 1.0001, table.weight.grad, bag(words), ready(words[:, 0]), similar[:3],
            bag(words.flatten(), torch.tensor([0, 4], device=dev), per_sample_weights=torch.ones(6, device=dev) / 2)]


@program
def seeds(dev):
    def draw():
        return torch.rand(3, device=dev), torch.randn(2, device=dev), torch.randint(0, 9, (4,), device=dev)

    torch.manual_seed(5)
    first = draw()
    torch.manual_seed(5)
    again = draw()
    torch.manual_seed(6)
    other = draw()
    order = torch.randperm(6, generator=torch.Generator().manual_seed(3)).to(dev)
    return [*first, *other, [torch.equal(a, b) for a, b in zip(first, again)], order]


@program
def autocast_and_scaler(dev):
    X, y = (t.to(dev) for t in regression(16))
    net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1)).to(dev)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    scaler = torch.cuda.amp.GradScaler(enabled=False)
    for _ in range(3):
        opt.zero_grad()
        with torch.autocast(dev, dtype=torch.bfloat16):
            out = net(X)
            loss = F.mse_loss(out.float(), y)
        scaler.scale(loss).backward()
        scaler.unscale_(opt)
        scaler.step(opt)
        scaler.update()
    return [str(out.dtype), round(loss.item(), 1) < 100, net[0].weight.dtype == torch.float32]


@program
def modes_of_layers(dev):
    net = nn.Sequential(nn.Conv2d(2, 3, 3, padding="same", padding_mode="reflect"), nn.BatchNorm2d(3, momentum=0.3),
                        nn.ReLU6(), nn.AvgPool2d(2, ceil_mode=True), nn.Dropout2d(0.5), nn.InstanceNorm2d(3, affine=True))
    net, x = net.to(dev), torch.randn(4, 2, 5, 5).to(dev)
    net.train()
    net[:4](x)
    net[:4](x * 2)
    net.eval()
    a, b = net(x), net(x)
    return [a, torch.equal(a, b), net[1].running_mean, net[1].running_var, net[1].num_batches_tracked,
            [m.training for m in net]]
