import headway as hw

steps = 12
size = 1000
decide = "each"

a = hw.randn(size, size)
total = hw.zeros(1)
hw.waitall()
hw.measure()
for _ in range(steps):
    total = (a @ a).sum() * 0.5 + total * 0.5
    if decide == "each":
        if total > 0:
            a = a * 0.5
    else:
        a = a * 0.5
hw.waitall()
