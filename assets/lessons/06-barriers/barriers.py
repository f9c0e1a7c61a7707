import headway as hw
from d2l.mxnet import Benchmark

size = 600
others = 6

a = hw.randn(size, size)
hw.waitall()
hw.measure()

with Benchmark("wait_to_read"):
    b = a @ a
    rest = [a @ a for _ in range(others)]
    b.wait_to_read()
hw.waitall()

with Benchmark("waitall"):
    b = a @ a
    rest = [a @ a for _ in range(others)]
    hw.waitall()
