from mxnet import np, npx
from d2l import mxnet as d2l

npx.set_np()
reps = 5
size = 500

with d2l.Benchmark("issued"):
    for _ in range(reps):
        a = np.random.normal(size=(size, size))
        b = np.dot(a, a)

with d2l.Benchmark("finished"):
    for _ in range(reps):
        a = np.random.normal(size=(size, size))
        b = np.dot(a, a)
    npx.waitall()
