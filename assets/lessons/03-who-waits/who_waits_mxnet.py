import headway as hw
import numpy
from mxnet import np, npx

npx.set_np()
size = 700
reps = 10

# Warm-up of both: what is measured is neither an import nor fresh memory.
b = numpy.dot(numpy.random.normal(size=(size, size)), numpy.ones((size, size)))
b = np.dot(np.random.normal(size=(size, size)), np.ones((size, size)))
npx.waitall()
hw.measure()

with hw.timed("NumPy, on the frontend"):
    for _ in range(reps):
        a = numpy.random.normal(size=(size, size))
        b = numpy.dot(a, a)

with hw.timed("queue, issued"):
    for _ in range(reps):
        a = np.random.normal(size=(size, size))
        b = np.dot(a, a)
npx.waitall()

with hw.timed("queue, finished"):
    for _ in range(reps):
        a = np.random.normal(size=(size, size))
        b = np.dot(a, a)
    npx.waitall()
