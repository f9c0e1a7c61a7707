import headway as hw

size = 300

a = hw.randn(size, size)
b = (a @ a).sum()
b.numpy()  # warm-up; the first time, NumPy is imported
hw.waitall()
hw.measure()

with hw.timed("shape"):
    b = a @ a
    shape = b.shape
hw.waitall()

with hw.timed("print"):
    b = (a @ a).sum()
    print(b)

with hw.timed("item"):
    b = (a @ a).sum()
    value = b.item()

with hw.timed("float"):
    b = (a @ a).sum()
    value = float(b)

with hw.timed("numpy"):
    b = a @ a
    values = b.numpy()
