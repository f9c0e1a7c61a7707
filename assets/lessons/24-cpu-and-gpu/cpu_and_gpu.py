import headway as hw

batches = 8
batch_size = 128
features = 2048
hidden = 1024
prepare = "ahead"


def prepared():
    """A minibatch, on the CPU: values, and what is made of them."""
    batch = hw.randn(batch_size, features, device="cpu")
    return batch * 0.5 + 0.1


labels = hw.ones(batch_size, 1, device="gpu")
w1 = (hw.randn(features, hidden, device="gpu") * 0.01).require_gradient()
w2 = (hw.randn(hidden, 1, device="gpu") * 0.01).require_gradient()
hw.waitall()
hw.measure()
for _ in range(batches):
    with hw.minibatch():
        with hw.scope("prepare"):
            batch = prepared().to("gpu")
        if prepare == "in turn":
            hw.waitall()
        with hw.scope("train"):
            for _ in range(3):
                with hw.record():
                    loss = ((batch @ w1).relu() @ w2 - labels).square().mean()
                loss.backward()
                w1.add_scaled_(w1.gradient, -0.01)
                w2.add_scaled_(w2.gradient, -0.01)
        if prepare == "in turn":
            hw.waitall("gpu")
hw.waitall()
print("loss %.4f" % loss.item())
