import headway as hw
from mxnet import np, npx

npx.set_np()
size = 300

# make data
a = np.random.normal(size=(size, size))
b = np.dot(a, a).sum()
b.asnumpy()  # warm-up; the first time, NumPy is imported
npx.waitall()
hw.measure()

with hw.timed("shape"):
    b = np.dot(a, a)
    shape = b.shape
npx.waitall()

with hw.timed("print"):
    b = np.dot(a, a).sum()
    print(b)

with hw.timed("item"):
    b = np.dot(a, a).sum()
    value = b.item()

with hw.timed("float"):
    b = np.dot(a, a).sum()
    value = float(b)

with hw.timed("numpy"):
    b = np.dot(a, a)
    values = b.asnumpy()
