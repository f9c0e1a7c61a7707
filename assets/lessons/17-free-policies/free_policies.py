import headway as hw

steps = 40
size = 500

a = hw.randn(size, size)
hw.waitall()
hw.measure()
for _ in range(steps):
    b = a @ a
    c = b * 0.5 + a
hw.waitall()
