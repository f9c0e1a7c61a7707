import headway as hw
import mxnet as mx
from mxnet import np, npx

npx.set_np()
steps = 8
rows = 200
columns = 1600
wait = "once"

# make data
a = np.random.normal(size=(columns, columns), ctx=mx.gpu()) * columns ** -0.5
y = np.random.normal(size=(rows, columns), ctx=mx.gpu())
npx.waitall()
hw.measure()

# issue
copies = []
for _ in range(steps):
    y = np.dot(y, a)
    copies.append(y.copyto(mx.cpu()))
    if wait == "each":
        copies[-1].wait_to_read()

# wait
npx.waitall()
