import headway as hw
from mxnet import np, npx

npx.set_np()
pairs = 6
size = 400
depend = "independent"

# make data
a = np.random.normal(size=(size, size)) * size ** -0.5
b = np.random.normal(size=(size, size)) * size ** -0.5
npx.waitall()
hw.measure()

# issue
for _ in range(pairs):
    if depend == "independent":
        c = np.dot(a, a)
        d = np.dot(b, b)
    else:
        a = np.dot(a, b)
        a = np.dot(a, b)

# wait
npx.waitall()
