import headway as hw

steps = 40
size = 1000

a = hw.randn(size, size)
hw.waitall()
hw.measure()
for _ in range(steps):
    b = a @ a
hw.waitall()
print("issued", hw.issued(), "ops on", hw.device()[1])
