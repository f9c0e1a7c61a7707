import headway as hw

batches = 8
barrier = "each"
size = 500

a = hw.randn(size, size)
b = hw.randn(size // 2, size // 2)
hw.waitall()
hw.measure()
for _ in range(batches):
    with hw.minibatch():
        large = a @ a
        small = b @ b
        if barrier == "each":
            hw.waitall()
hw.waitall()
