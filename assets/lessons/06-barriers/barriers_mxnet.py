import headway as hw
from mxnet import np, npx

npx.set_np()
size = 600
others = 6

# make data
a = np.random.normal(size=(size, size))
b = np.dot(a, a)
npx.waitall()
hw.measure()

# issue, and wait for one
with hw.timed("wait_to_read"):
    b = np.dot(a, a)
    rest = [np.dot(a, a) for _ in range(others)]
    b.wait_to_read()
npx.waitall()

# issue, and wait for all
with hw.timed("waitall"):
    b = np.dot(a, a)
    rest = [np.dot(a, a) for _ in range(others)]
    npx.waitall()
