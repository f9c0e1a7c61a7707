import headway as hw
import mxnet as mx
from mxnet import np, npx

npx.set_np()
products = 10
size = 500
copies = 4


def chain(device):
    y = results[device]
    for _ in range(products):
        y = np.dot(y, weights[device])
    results[device] = y


def send(device):
    return [results[device].copyto(mx.cpu()) for _ in range(copies)]


# make data
first, second = mx.gpu(0), mx.gpu(1)
weights, results = {}, {}
for device in (first, second):
    weights[device] = np.random.normal(size=(size, size), ctx=device) * size ** -0.5
    results[device] = np.random.normal(size=(size, size), ctx=device)
results[first].copyto(mx.cpu())
npx.waitall()
hw.measure()

# compute
with hw.timed("one computes"):
    chain(first)
    npx.waitall()
with hw.timed("both compute"):
    chain(first)
    chain(second)
    npx.waitall()

# copy
with hw.timed("one copies"):
    sent = send(first)
    npx.waitall()
with hw.timed("both copy"):
    sent = send(first)
    sent += send(second)
    npx.waitall()
