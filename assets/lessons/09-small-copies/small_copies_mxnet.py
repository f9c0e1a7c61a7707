import headway as hw
import numpy
from mxnet import np, npx

npx.set_np()
steps = 20
size = 600
copy = "each"

# make data
a = np.random.normal(size=(size, size)) * 0.01
row = a[0]
numpy.maximum(row.asnumpy(), 0)  # warm-up
npx.waitall()
hw.measure()

# issue, and copy
for _ in range(steps):
    row = np.dot(a, a)[0] + row
    if copy == "each":
        row = np.array(numpy.maximum(row.asnumpy(), 0))
    else:
        row = npx.relu(row)

# wait
values = row.asnumpy()
print("mean of the row: %.4f" % values.mean())
