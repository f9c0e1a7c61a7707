import headway as hw
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn

npx.set_np()
steps = 2
hidden = 2048
wait_for = "last layer"

# make data and network
net = nn.Sequential()
net.add(nn.Dense(hidden, activation="relu", use_bias=False), nn.Dense(1, use_bias=False))
net.initialize()
x = np.random.normal(size=(1024, 512))
labels = np.ones((1024, 1))
net(x)  # the first batch makes the parameters
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
npx.waitall()
hw.measure()

# issue
for _ in range(steps):
    with autograd.record():
        loss = ((net(x) - labels) ** 2).mean()
    loss.backward()
    trainer.step(1)
    # wait
    if wait_for != "nothing":
        {"loss": loss, "last layer": net[1].weight.data(), "first layer": net[0].weight.data()}[wait_for].wait_to_read()
npx.waitall()
print("loss %.4f" % loss.item())
