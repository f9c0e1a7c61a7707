import headway as hw

size = 600
others = 6

a = hw.randn(size, size)
b = a @ a
hw.waitall()
hw.measure()

with hw.timed("wait_to_read"):
    b = a @ a
    rest = [a @ a for _ in range(others)]
    b.wait_to_read()
hw.waitall()

with hw.timed("waitall"):
    b = a @ a
    rest = [a @ a for _ in range(others)]
    hw.waitall()
