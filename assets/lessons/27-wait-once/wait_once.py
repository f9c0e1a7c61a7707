import headway as hw

steps = 8
size = 400
wait = "once"

# make data
a = hw.randn(size, size) * size ** -0.5
hw.waitall()
hw.measure()

# issue
for _ in range(steps):
    b = a @ a
    if wait == "each":
        hw.waitall()

# wait
hw.waitall()
