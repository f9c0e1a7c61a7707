"""Models of courses: what a student trains after the first chapters."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from programs.common import classes, program, regression, train


@program
def logistic_regression(dev):
    X = torch.randn(40, 2).to(dev)
    y = (X[:, 0] - X[:, 1] > 0).float()
    w, b = torch.zeros(2, device=dev, requires_grad=True), torch.zeros((), device=dev, requires_grad=True)
    for _ in range(5):
        p = torch.sigmoid(X @ w + b)
        loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
        gw, gb = torch.autograd.grad(loss, [w, b])
        with torch.no_grad():
            w -= gw
            b -= gb
    return [w, b, loss, ((p > 0.5) == (y == 1)).float().mean().item()]


@program
def perceptron_from_scratch(dev):
    X, y = (t.to(dev) for t in classes())
    W1, b1 = (torch.randn(5, 8) * 0.1).to(dev).requires_grad_(), torch.zeros(8, device=dev, requires_grad=True)
    W2, b2 = (torch.randn(8, 3) * 0.1).to(dev).requires_grad_(), torch.zeros(3, device=dev, requires_grad=True)
    params = [W1, b1, W2, b2]
    for _ in range(4):
        hidden = torch.max(X @ W1 + b1, torch.zeros_like(b1))
        loss = F.cross_entropy(hidden @ W2 + b2, y, reduction="none")
        loss.mean().backward()
        for p in params:
            p.data.sub_(0.3 * p.grad)
            p.grad = None
    return params + [loss]


@program
def polynomial_fit(dev):
    x = torch.linspace(-1, 1, 30).to(dev)
    y = 1 + 2 * x - 3 * x**3
    powers = x[:, None] ** torch.arange(4, device=dev)
    w = torch.zeros(4, 1, device=dev, requires_grad=True)
    for _ in range(20):
        loss = F.mse_loss(powers @ w, y[:, None])
        loss.backward()
        with torch.no_grad():
            w.sub_(w.grad, alpha=0.3)
        w.grad.zero_()
    return [w, loss, torch.linalg.lstsq(powers, y[:, None]).solution]


@program
def weight_decay_by_hand(dev):
    X, y = (t.to(dev) for t in regression(20))
    w = torch.randn(3, 1).to(dev).requires_grad_()
    for _ in range(3):
        loss = ((X @ w - y) ** 2).mean() + 0.1 * (w**2).sum() / 2
        loss.backward()
        with torch.no_grad():
            w -= 0.05 * w.grad
            w.grad.zero_()
    return [w, w.norm().item()]


@program
def minibatches_by_hand(dev):
    X, y = (t.to(dev) for t in regression(24))
    w, b, losses = torch.zeros(3, 1, device=dev, requires_grad=True), torch.zeros(1, device=dev, requires_grad=True), []
    for _ in range(2):
        order = torch.randperm(24)
        for i in range(0, 24, 8):
            batch = order[i : i + 8].to(dev)
            loss = ((X[batch] @ w + b - y[batch]) ** 2).mean()
            loss.backward()
            with torch.no_grad():
                for p in (w, b):
                    p -= 0.03 * p.grad
                    p.grad.zero_()
        losses.append(loss.item())
    return losses + [w, b]


@program
def vgg_block(dev):
    def block(count, inputs, outputs):
        layers = []
        for _ in range(count):
            layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU()]
            inputs = outputs
        return layers + [nn.MaxPool2d(2, 2)]

    net = nn.Sequential(*block(1, 1, 2), *block(2, 2, 4), nn.Flatten(), nn.Linear(16, 3))
    return train(dev, net, torch.randn(3, 1, 8, 8), torch.tensor([0, 1, 2]), lambda p: torch.optim.SGD(p, 0.05),
                 nn.CrossEntropyLoss(), steps=2)


@program
def inception_block(dev):
    class Inception(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.three = nn.Conv2d(2, 2, 1), nn.Conv2d(2, 3, 3, padding=1)
            self.pool, self.after = nn.MaxPool2d(3, stride=1, padding=1), nn.Conv2d(2, 1, 1)

        def forward(self, x):
            return torch.cat([F.relu(self.one(x)), F.relu(self.three(x)), F.relu(self.after(self.pool(x)))], dim=1)

    net = nn.Sequential(Inception(), nn.AdaptiveMaxPool2d((1, 1)), nn.Flatten(), nn.Linear(6, 2))
    return train(dev, net, torch.randn(2, 2, 5, 5), torch.tensor([0, 1]), lambda p: torch.optim.SGD(p, 0.1),
                 nn.CrossEntropyLoss(), steps=2)


@program
def dense_block(dev):
    convs = nn.ModuleList(nn.Sequential(nn.BatchNorm2d(2 + 2 * i), nn.ReLU(), nn.Conv2d(2 + 2 * i, 2, 3, padding=1))
                          for i in range(2)).to(dev)
    X = torch.randn(2, 2, 4, 4).to(dev)
    for conv in convs:
        X = torch.cat((X, conv(X)), 1)
    X.square().mean().backward()
    return [X, convs[0][2].weight.grad, convs[1][0].running_var]


@program
def depthwise_and_dilated(dev):
    net = nn.Sequential(nn.Conv2d(4, 4, 3, groups=4, padding=1), nn.Conv2d(4, 2, 1), nn.Conv2d(2, 2, 3, dilation=2),
                        nn.PReLU()).to(dev)
    y = net(torch.randn(1, 4, 8, 8).to(dev))
    y.sum().backward()
    return [y] + [p.grad for p in net.parameters()]


@program
def convolutions_of_one_and_three_dimensions(dev):
    a, b = nn.Conv1d(2, 3, 3, stride=2).to(dev), nn.Conv3d(1, 2, 2).to(dev)
    x, y = a(torch.randn(2, 2, 9).to(dev)), b(torch.randn(1, 1, 3, 4, 4).to(dev))
    (x.sum() + y.pow(2).sum()).backward()
    return [x, y, a.weight.grad, b.weight.grad, F.max_pool1d(x, 2), F.avg_pool3d(y, 2)]


@program
def batch_norm_from_scratch(dev):
    X = torch.randn(6, 4).to(dev)
    gamma, beta = torch.ones(4, device=dev, requires_grad=True), torch.zeros(4, device=dev, requires_grad=True)
    moving = torch.zeros(4, device=dev)
    for _ in range(3):
        mean, var = X.mean(0), ((X - X.mean(0)) ** 2).mean(0)
        Y = gamma * (X - mean) / torch.sqrt(var + 1e-5) + beta
        moving = 0.9 * moving + 0.1 * mean
    Y.pow(3).sum().backward()
    return [Y, moving, gamma.grad, beta.grad]


@program
def dropout_from_scratch(dev):
    def layer(X, p):
        if p == 1:
            return torch.zeros_like(X)
        return (torch.rand(X.shape) > p).float().to(X.device) * X / (1.0 - p)

    X = torch.arange(16.0).reshape(2, 8).to(dev)
    return [layer(X, 0), layer(X, 0.5), layer(X, 1)]


@program
def gru_from_scratch(dev):
    def three():
        return [(torch.randn(*s) * 0.3).to(dev).requires_grad_() for s in ((3, 4), (4, 4), (4,))]

    (xz, hz, bz), (xr, hr, br), (xh, hh, bh) = three(), three(), three()
    H = torch.zeros(2, 4, device=dev)
    for X in torch.randn(4, 2, 3).to(dev):
        Z, R = torch.sigmoid(X @ xz + H @ hz + bz), torch.sigmoid(X @ xr + H @ hr + br)
        H = Z * H + (1 - Z) * torch.tanh(X @ xh + (R * H) @ hh + bh)
    H.sum().backward()
    return [H, xz.grad, hr.grad, bh.grad]


@program
def lstm_from_scratch(dev):
    W, U, b = ((torch.randn(*s) * 0.3).to(dev).requires_grad_() for s in ((3, 16), (4, 16), (16,)))
    H = C = torch.zeros(2, 4, device=dev)
    for X in torch.randn(4, 2, 3).to(dev):
        i, f, o, c = (X @ W + H @ U + b).chunk(4, dim=1)
        C = torch.sigmoid(f) * C + torch.sigmoid(i) * torch.tanh(c)
        H = torch.sigmoid(o) * torch.tanh(C)
    H.sum().backward()
    return [H, C, W.grad, U.grad, b.grad]


@program
def bidirectional_and_packed(dev):
    net = nn.LSTM(3, 2, bidirectional=True, batch_first=True).to(dev)
    X = torch.randn(2, 4, 3).to(dev)
    out, (h, c) = net(X)
    packed = nn.utils.rnn.pack_padded_sequence(X, [4, 2], batch_first=True)
    unpacked, lengths = nn.utils.rnn.pad_packed_sequence(net(packed)[0], batch_first=True)
    return [out, h, c, unpacked, lengths]


@program
def recurrent_cells(dev):
    results = []
    for cell in (nn.RNNCell(3, 2), nn.GRUCell(3, 2)):
        cell, h = cell.to(dev), torch.zeros(2, 2, device=dev)
        for x in torch.randn(3, 2, 3).to(dev):
            h = cell(x, h)
        h.sum().backward()
        results += [h, cell.weight_hh.grad]
    cell, state = nn.LSTMCell(3, 2).to(dev), None
    for x in torch.randn(3, 2, 3).to(dev):
        state = cell(x, state)
    return results + list(state)


@program
def characters(dev):
    text = "the time machine by h g wells"
    letters = sorted(set(text))
    ids = torch.tensor([letters.index(c) for c in text])
    net, head = nn.GRU(len(letters), 8).to(dev), nn.Linear(8, len(letters)).to(dev)
    opt = torch.optim.Adam([*net.parameters(), *head.parameters()], 0.02)
    for _ in range(3):
        X = F.one_hot(ids[:-1], len(letters)).float()[:, None].to(dev)
        loss = F.cross_entropy(head(net(X)[0])[:, 0], ids[1:].to(dev))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), 0.5)
        opt.step()
    state, at, said = None, ids[0].item(), ""
    for _ in range(6):
        x = torch.zeros(1, 1, len(letters), device=dev)
        x[0, 0, at] = 1
        out, state = net(x, state)
        at = int(head(out).argmax())
        said += letters[at]
    return [loss.item(), said]


@program
def encoder_and_decoder(dev):
    source, target = torch.randint(0, 6, (5, 2)).to(dev), torch.randint(0, 6, (4, 2)).to(dev)
    table, encoder, decoder = nn.Embedding(6, 4).to(dev), nn.GRU(4, 4).to(dev), nn.GRU(8, 4).to(dev)
    _, state = encoder(table(source))
    context = state[-1].repeat(4, 1, 1)
    out, _ = decoder(torch.cat((table(target), context), -1), state)
    out.mean().backward()
    return [out, table.weight.grad, encoder.weight_ih_l0.grad]


@program
def masked_cross_entropy(dev):
    logits = torch.randn(2, 4, 5).to(dev).requires_grad_()
    labels, lengths = torch.randint(0, 5, (2, 4)).to(dev), torch.tensor([2, 4], device=dev)
    mask = torch.arange(4, device=dev)[None] < lengths[:, None]
    loss = (F.cross_entropy(logits.permute(0, 2, 1), labels, reduction="none") * mask).mean(1)
    loss.sum().backward()
    return [loss, logits.grad, F.cross_entropy(logits.flatten(0, 1), labels.masked_fill(~mask, -100).flatten())]


@program
def heads_of_attention(dev):
    layer = nn.MultiheadAttention(8, 2, batch_first=True).to(dev)
    X = torch.randn(2, 3, 8).to(dev)
    causal = torch.triu(torch.ones(3, 3, dtype=torch.bool, device=dev), 1)
    out, weights = layer(X, X, X, attn_mask=causal)
    (out.sum() + weights.pow(2).sum()).backward()
    return [out, weights, layer.in_proj_weight.grad]


@program
def transformer_from_scratch(dev):
    def split(X):
        return X.reshape(2, 4, 2, 3).permute(0, 2, 1, 3)

    position = torch.arange(4.0)[:, None] / torch.pow(10000, torch.arange(0, 6, 2) / 6)
    P = torch.zeros(1, 4, 6)
    P[:, :, 0::2], P[:, :, 1::2] = torch.sin(position), torch.cos(position)
    X = torch.randn(2, 4, 6).to(dev) + P.to(dev)
    W = [nn.Linear(6, 6, bias=False).to(dev) for _ in range(4)]
    q, k, v = (split(w(X)) for w in W[:3])
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(3)
    scores = scores.masked_fill(torch.ones(4, 4, device=dev).tril() == 0, float("-inf"))
    H = W[3]((scores.softmax(-1) @ v).transpose(1, 2).reshape(2, 4, 6))
    Y = F.layer_norm(X + H, (6,))
    Y.pow(2)[:, -1].sum().backward()
    return [Y] + [w.weight.grad for w in W]


@program
def transformer_model(dev):
    net = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True).to(dev)
    mask = net.generate_square_subsequent_mask(3).to(dev)
    out = net(torch.randn(2, 4, 8).to(dev), torch.randn(2, 3, 8).to(dev), tgt_mask=mask)
    out.pow(2).mean().backward()
    return [out, net.decoder.layers[0].linear2.weight.grad]


@program
def patches_of_images(dev):
    images = torch.randn(2, 3, 8, 8).to(dev)
    patches = images.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 1, 4, 5).reshape(2, 4, 48)
    embed, token = nn.Conv2d(3, 6, 4, stride=4).to(dev), nn.Parameter(torch.zeros(1, 1, 6, device=dev))
    X = torch.cat((token.expand(2, -1, -1), embed(images).flatten(2).transpose(1, 2)), 1)
    X.square().mean().backward()
    return [patches, X, token.grad, embed.bias.grad]


@program
def autoencoder(dev):
    net = nn.Sequential(nn.Linear(8, 3), nn.Tanh(), nn.Linear(3, 8), nn.Sigmoid())
    X = torch.rand(6, 8)
    return train(dev, net, X, X, lambda p: torch.optim.Adam(p, 0.01), nn.BCELoss(), steps=3)


@program
def variational_autoencoder(dev):
    encode, decode = nn.Linear(6, 4).to(dev), nn.Linear(2, 6).to(dev)
    X, eps = torch.rand(5, 6).to(dev), torch.randn(5, 2).to(dev)
    mean, logvar = encode(X).split(2, 1)
    Y = torch.sigmoid(decode(mean + torch.exp(0.5 * logvar) * eps))
    loss = F.binary_cross_entropy(Y, X, reduction="sum") - 0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
    loss.backward()
    return [loss, encode.weight.grad, decode.bias.grad]


@program
def word_vectors(dev):
    center, context = nn.Embedding(12, 4).to(dev), nn.Embedding(12, 4).to(dev)
    c, o = torch.randint(0, 12, (5, 1)).to(dev), torch.randint(0, 12, (5, 3)).to(dev)
    label = torch.tensor([[1.0, 0, 0]]).repeat(5, 1).to(dev)
    opt = torch.optim.Adam([*center.parameters(), *context.parameters()], 0.05)
    for _ in range(3):
        opt.zero_grad()
        scores = torch.bmm(center(c), context(o).permute(0, 2, 1)).squeeze(1)
        loss = F.binary_cross_entropy_with_logits(scores, label)
        loss.backward()
        opt.step()
    W = center.weight.data
    similar = W @ W[3] / torch.sqrt(torch.sum(W * W, 1) * torch.sum(W[3] * W[3]) + 1e-9)
    return [loss, torch.topk(similar, 3).indices, F.cosine_similarity(W, W[3][None])]


@program
def matrix_factorization(dev):
    user, item = nn.Embedding(4, 3).to(dev), nn.Embedding(5, 3).to(dev)
    u, i = torch.tensor([0, 1, 2, 3], device=dev), torch.tensor([4, 3, 0, 0], device=dev)
    score = torch.tensor([1.0, 5, 3, 2], device=dev)
    opt = torch.optim.SGD([{"params": user.parameters()}, {"params": item.parameters(), "lr": 0.2}], lr=0.1)
    for _ in range(4):
        opt.zero_grad()
        loss = F.mse_loss((user(u) * item(i)).sum(-1), score)
        loss.backward()
        opt.step()
    return [loss, user.weight, item.weight]


@program
def policy_gradient(dev):
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2)).to(dev)
    states, actions = torch.randn(5, 3).to(dev), torch.tensor([0, 1, 1, 0, 1], device=dev)
    rewards, returns, R = [1.0, 0.0, 2.0, 1.0, 0.5], [], 0.0
    for r in reversed(rewards):
        R = r + 0.9 * R
        returns.insert(0, R)
    G = torch.tensor(returns, device=dev)
    policy = torch.distributions.Categorical(logits=net(states))
    loss = -(policy.log_prob(actions) * (G - G.mean()) / G.std()).sum() - 0.01 * policy.entropy().mean()
    loss.backward()
    return [loss, policy.probs, net[0].weight.grad]


@program
def q_learning(dev):
    net, target = nn.Linear(3, 2).to(dev), nn.Linear(3, 2).to(dev)
    target.load_state_dict(net.state_dict())
    s, s2 = torch.randn(6, 3).to(dev), torch.randn(6, 3).to(dev)
    a, r = torch.randint(0, 2, (6, 1)).to(dev), torch.rand(6, 1).to(dev)
    opt = torch.optim.RMSprop(net.parameters(), 0.01)
    for _ in range(2):
        with torch.no_grad():
            goal = r + 0.9 * target(s2).max(1, keepdim=True)[0]
        loss = F.smooth_l1_loss(net(s).gather(1, a), goal)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for old, new in zip(target.parameters(), net.parameters()):
            old.data.copy_(0.9 * old.data + 0.1 * new.data)
    return [loss, net.weight, target.weight]


@program
def graph_convolution(dev):
    A = torch.tensor([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]], device=dev) + torch.eye(3, device=dev)
    D = torch.diag(A.sum(1).pow(-0.5))
    net, X = nn.Linear(2, 2).to(dev), torch.randn(3, 2).to(dev)
    H = F.relu(D @ A @ D @ net(X))
    H.sum().backward()
    return [H, net.weight.grad]


@program
def style_loss(dev):
    image = torch.rand(1, 3, 6, 6).to(dev).requires_grad_()
    features, wanted = nn.Conv2d(3, 4, 3).to(dev), torch.rand(1, 3, 6, 6).to(dev)
    for p in features.parameters():
        p.requires_grad_(False)

    def gram(x):
        x = features(x).reshape(4, -1)
        return x @ x.T / x.numel()

    opt = torch.optim.Adam([image], lr=0.05)
    for _ in range(3):
        opt.zero_grad()
        tv = 0.5 * ((image[:, :, 1:] - image[:, :, :-1]).abs().mean() + (image[..., 1:] - image[..., :-1]).abs().mean())
        loss = F.mse_loss(gram(image), gram(wanted)) + tv
        loss.backward()
        opt.step()
    return [loss, image.clamp(0, 1)]


@program
def adversarial_example(dev):
    net, x = nn.Linear(4, 3).to(dev), torch.randn(2, 4).to(dev).requires_grad_()
    loss = F.cross_entropy(net(x), torch.tensor([0, 2], device=dev))
    net.zero_grad()
    loss.backward()
    with torch.no_grad():
        worse = x + 0.1 * x.grad.sign()
    return [worse, F.cross_entropy(net(worse), torch.tensor([0, 2], device=dev)) > loss]
