import headway as hw
from mxnet import np, npx

npx.set_np()
size = 600
products = 6

# make data
a = np.random.normal(size=(size, size))
npx.waitall()

# issue and wait, product by product
for i in range(products):
    begin = hw.clock()
    b = np.dot(a, a)
    b.wait_to_read()
    print(f"product {i + 1}: {hw.time_text(hw.clock() - begin)}")
    if i == 1:
        hw.measure()
