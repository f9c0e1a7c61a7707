import headway as hw

products = 10
size = 400

# make data
a = hw.randn(size, size) * (1 / size)
hw.waitall()
hw.measure()

# issue
b = a
for _ in range(products):
    b = b @ a

# print twice
with hw.timed("first print"):
    print(b.mean())
with hw.timed("second print"):
    print(b.mean())
