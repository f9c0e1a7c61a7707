import headway as hw
from mxnet import np, npx

npx.set_np()
steps = 40
size = 500

# make data
a = np.random.normal(size=(size, size))
npx.waitall()
hw.measure()

# issue
for _ in range(steps):
    b = np.dot(a, a)
    c = b * 0.5 + a

# wait
npx.waitall()
