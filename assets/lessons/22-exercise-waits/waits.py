import headway as hw
from d2l.mxnet import Timer

before = 3
after = 6
size = 400

a = hw.randn(size, size) * 0.01
hw.waitall()
hw.measure()


def issue():
    middle = a
    for _ in range(before):
        middle = middle @ a
    end = middle
    for _ in range(after):
        end = end @ a
    return middle, end


timer = Timer()
middle, end = issue()
middle.wait_to_read()
print(f"wait_to_read: {timer.stop() * 1e3:.2f} ms")
hw.waitall()

timer.start()
middle, end = issue()
hw.waitall()
print(f"waitall: {timer.stop() * 1e3:.2f} ms")
