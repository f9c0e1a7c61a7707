import time

import headway as hw
from mxnet import np, npx

npx.set_np()
products = 6
size = 400
sleep = 200

# make data
a = np.random.normal(size=(size, size)) * size ** -0.5
npx.waitall()
hw.measure()

# issue
b = a
for _ in range(products):
    b = np.dot(b, a)

# sleep
with hw.scope("sleep"):
    time.sleep(sleep / 1000)

# wait
with hw.timed("wait"):
    npx.waitall()
