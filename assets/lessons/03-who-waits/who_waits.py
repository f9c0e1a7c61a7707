import headway as hw
import numpy
from d2l.mxnet import Benchmark

size = 700
reps = 10

with Benchmark("NumPy, on the frontend"):
    for _ in range(reps):
        a = numpy.random.normal(size=(size, size))
        b = numpy.dot(a, a)

with Benchmark("queue, issued"):
    for _ in range(reps):
        a = hw.randn(size, size)
        b = a @ a
hw.waitall()

with Benchmark("queue, finished"):
    for _ in range(reps):
        a = hw.randn(size, size)
        b = a @ a
    hw.waitall()
