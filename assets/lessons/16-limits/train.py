import headway as hw

batches = 30
batch_size = 256
features = 64
hidden = 256
lr = 0.01


def weight(rows, columns):
    return (hw.randn(rows, columns) * 0.05).require_gradient()


# make data and network
narrow = max(hidden // 4, 1)
weights = [weight(features, hidden), weight(hidden, narrow), weight(narrow, 1)]
labels = hw.ones(batch_size, 1)
hw.waitall()
hw.measure()

# issue
losses = []
with hw.scope("training"):
    for _ in range(batches):
        with hw.minibatch():
            with hw.record():
                x = hw.randn(batch_size, features)
                for w in weights[:-1]:
                    x = (x @ w).relu()
                y = x @ weights[-1]
                loss = (y - labels).square().mean()
            loss.backward()
            for w in weights:
                w.add_scaled_(w.gradient, -lr)
            losses.append(loss)  # kept as a tensor, not read
    # wait
    hw.waitall()
print(f"loss of the last minibatch {losses[-1].item():.4f}")
