import headway as hw
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn

npx.set_np()
batches = 6
hidden = 2048
wait_for = "loss"

net = nn.Sequential()
net.add(nn.Dense(hidden, activation="relu"), nn.Dense(1))
net.initialize()
net(np.random.normal(size=(1024, 512)))  # the first batch makes the parameters
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
loss = gluon.loss.L2Loss()
npx.waitall()
hw.measure()
for _ in range(batches):
    x = np.random.normal(size=(1024, 512))
    y = np.ones((1024,))
    with autograd.record():
        l = loss(net(x), y)
    l.backward()
    trainer.step(1024)
    if wait_for == "loss":
        l.wait_to_read()
    else:
        npx.waitall()
npx.waitall()
