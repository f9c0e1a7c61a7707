import headway as hw
from d2l.mxnet import Timer

size = 600
products = 6

a = hw.randn(size, size)
for i in range(products):
    timer = Timer()
    b = a @ a
    b.wait_to_read()
    print(f"product {i + 1}: {timer.stop() * 1e3:.3f} ms")
    if i == 0:
        hw.measure()
