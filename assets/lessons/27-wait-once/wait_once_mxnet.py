import headway as hw
from mxnet import np, npx

npx.set_np()
steps = 8
size = 400
wait = "once"

# make data
a = np.random.normal(size=(size, size)) * size ** -0.5
npx.waitall()
hw.measure()

# issue
for _ in range(steps):
    b = np.dot(a, a)
    if wait == "each":
        npx.waitall()

# wait
npx.waitall()
