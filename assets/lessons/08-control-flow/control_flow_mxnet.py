import headway as hw
from mxnet import np, npx

npx.set_np()
steps = 12
size = 1000
decide = "each"

# make data
a = np.random.normal(size=(size, size))
total = np.zeros((1,))
npx.waitall()
hw.measure()

# issue, and decide
for _ in range(steps):
    total = np.dot(a, a).sum() * 0.5 + total * 0.5
    if decide == "each":
        if total > 0:
            a = a * 0.5
    else:
        a = a * 0.5

# wait
npx.waitall()
