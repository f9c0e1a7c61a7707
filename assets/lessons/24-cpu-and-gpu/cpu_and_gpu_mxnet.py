import headway as hw
import mxnet as mx
from mxnet import autograd, np, npx

npx.set_np()
batches = 8
batch_size = 128
features = 2048
hidden = 1024
prepare = "ahead"


def prepared():
    """A minibatch, on the CPU: values, and what is made of them."""
    batch = np.random.normal(size=(batch_size, features), ctx=mx.cpu())
    return batch * 0.5 + 0.1


# make data and network
labels = np.ones((batch_size, 1), ctx=mx.gpu())
w1 = np.random.normal(size=(features, hidden), ctx=mx.gpu()) * 0.01
w2 = np.random.normal(size=(hidden, 1), ctx=mx.gpu()) * 0.01
w1.attach_grad()
w2.attach_grad()
npx.waitall()
hw.measure()

# issue
for _ in range(batches):
    with hw.minibatch():
        with hw.scope("prepare"):
            batch = prepared().as_in_ctx(mx.gpu())
        if prepare == "in turn":
            npx.waitall()
        with hw.scope("train"):
            for _ in range(3):
                with autograd.record():
                    loss = ((np.dot(npx.relu(np.dot(batch, w1)), w2) - labels) ** 2).mean()
                loss.backward()
                for w in (w1, w2):
                    w -= 0.01 * w.grad
        if prepare == "in turn":
            npx.waitall()

# wait
npx.waitall()
print("loss %.4f" % loss.item())
