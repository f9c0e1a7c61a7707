import time

import headway as hw

products = 6
size = 400
sleep = 200

# make data
a = hw.randn(size, size) * size ** -0.5
hw.waitall()
hw.measure()

# issue
b = a
for _ in range(products):
    b = b @ a

# sleep
with hw.scope("sleep"):
    time.sleep(sleep / 1000)

# wait
with hw.timed("wait"):
    hw.waitall()
