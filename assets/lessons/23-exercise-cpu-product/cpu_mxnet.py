import headway as hw
import mxnet as mx
from mxnet import np, npx

npx.set_np()
reps = 5
size = 500

a = np.random.normal(size=(size, size), ctx=mx.cpu())
b = np.dot(a, a)
npx.waitall()
hw.measure()

with hw.timed("issued"):
    for _ in range(reps):
        a = np.random.normal(size=(size, size), ctx=mx.cpu())
        b = np.dot(a, a)
npx.waitall()

with hw.timed("finished"):
    for _ in range(reps):
        a = np.random.normal(size=(size, size), ctx=mx.cpu())
        b = np.dot(a, a)
    npx.waitall()
