import headway as hw
from d2l.mxnet import Benchmark

size = 300
a = hw.randn(size, size)
hw.waitall()
hw.measure()

with Benchmark("shape"):
    b = a @ a
    print(b.shape)
hw.waitall()

with Benchmark("print"):
    b = (a @ a).sum()
    print(b)

with Benchmark("item"):
    b = (a @ a).sum()
    value = b.item()

with Benchmark("float"):
    b = (a @ a).sum()
    value = float(b)

with Benchmark("numpy"):
    b = a @ a
    values = b.numpy()
