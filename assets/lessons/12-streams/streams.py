import headway as hw

pairs = 6
size = 800
depend = "independent"

a = hw.randn(size, size)
b = hw.randn(size, size)
hw.waitall()
hw.measure()
for _ in range(pairs):
    if depend == "independent":
        c = a @ a
        d = b @ b
    else:
        a = (a @ b) * 0.01
        a = (a @ b) * 0.01
hw.waitall()
