import headway as hw
import numpy

size = 700
reps = 10

# Warm-up of both: what is measured is neither an import nor fresh memory.
b = numpy.dot(numpy.random.normal(size=(size, size)), numpy.ones((size, size)))
b = hw.randn(size, size) @ hw.ones(size, size)
hw.waitall()
hw.measure()

with hw.timed("NumPy, on the frontend"):
    for _ in range(reps):
        a = numpy.random.normal(size=(size, size))
        b = numpy.dot(a, a)

with hw.timed("queue, issued"):
    for _ in range(reps):
        a = hw.randn(size, size)
        b = a @ a
hw.waitall()

with hw.timed("queue, finished"):
    for _ in range(reps):
        a = hw.randn(size, size)
        b = a @ a
    hw.waitall()
