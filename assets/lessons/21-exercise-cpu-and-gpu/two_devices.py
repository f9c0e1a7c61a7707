import headway as hw

batches = 8
barrier = "each"
size = 500

a = hw.randn(size, size, device="gpu")
b = hw.randn(size // 8 + 1, size // 8 + 1, device="cpu")
hw.waitall()
hw.measure()
for i in range(batches):
    with hw.minibatch():
        # One minibatch has more for the GPU to do, the next one more for the CPU.
        for _ in range(4 if i % 2 == 0 else 1):
            x = a @ a
        for _ in range(1 if i % 2 == 0 else 4):
            y = b @ b
        if barrier == "each":
            hw.waitall()
hw.waitall()
