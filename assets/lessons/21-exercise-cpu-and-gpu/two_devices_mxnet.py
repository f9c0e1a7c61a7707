import headway as hw
import mxnet as mx
from mxnet import np, npx

npx.set_np()
batches = 8
barrier = "each"
size = 500

# make data
a = np.random.normal(size=(size, size), ctx=mx.gpu())
b = np.random.normal(size=(size // 8 + 1, size // 8 + 1), ctx=mx.cpu())
npx.waitall()
hw.measure()

# issue
for i in range(batches):
    with hw.minibatch():
        # One minibatch has more for the GPU to do, the next one more for the CPU.
        for _ in range(4 if i % 2 == 0 else 1):
            x = np.dot(a, a)
        for _ in range(1 if i % 2 == 0 else 4):
            y = np.dot(b, b)
        if barrier == "each":
            npx.waitall()

# wait
npx.waitall()
