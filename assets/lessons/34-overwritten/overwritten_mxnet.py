import headway as hw
from mxnet import np, npx

npx.set_np()
steps = 4
size = 400
result = "in place"

# make data
a = np.random.normal(size=(size, size)) * size ** -0.5
npx.waitall()
hw.measure()

# issue
for _ in range(steps):
    product = np.dot(a, a)
    if result == "in place":
        a += 0.001
    else:
        a = a + 0.001

# wait
npx.waitall()
print("mean of the last product: %.6f" % product.mean().item())
