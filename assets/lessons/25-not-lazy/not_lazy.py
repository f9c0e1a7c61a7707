import time

import headway as hw

products = 6
size = 400
sleep = 200

# make data
a = hw.randn(size, size) * (1 / size)
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
