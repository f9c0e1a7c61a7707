import headway as hw

pairs = 6
size = 400
depend = "independent"

a = hw.randn(size, size) * (1 / size)
b = hw.randn(size, size) * (1 / size)
hw.waitall()
hw.measure()
for _ in range(pairs):
    if depend == "independent":
        c = a @ a
        d = b @ b
    else:
        a = a @ b
        a = a @ b
hw.waitall()
