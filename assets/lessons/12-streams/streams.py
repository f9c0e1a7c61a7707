import headway as hw

pairs = 6
size = 400
depend = "independent"

a = hw.randn(size, size) * size ** -0.5
b = hw.randn(size, size) * size ** -0.5
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
