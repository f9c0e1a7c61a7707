import headway as hw
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn

npx.set_np()
batches = 30
batch_size = 256
features = 64
hidden = 256
lr = 0.01

# make data and network
net = nn.Sequential()
net.add(nn.Dense(hidden, activation="relu"), nn.Dense(max(hidden // 4, 1), activation="relu"), nn.Dense(1))
net.initialize()
net(np.random.normal(size=(batch_size, features)))  # the first batch makes the parameters
labels = np.ones((batch_size,))
square = gluon.loss.L2Loss()
npx.waitall()
hw.measure()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": lr})

# issue
losses = []
with hw.scope("training"):
    for _ in range(batches):
        with autograd.record():
            loss = square(net(np.random.normal(size=(batch_size, features))), labels).mean()
        loss.backward()
        trainer.step(1)  # it ends the minibatch
        losses.append(loss)  # kept as an array, not read
    # wait
    npx.waitall()
print(f"loss of the last minibatch {losses[-1].item():.4f}")
