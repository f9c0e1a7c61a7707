import headway as hw

products = 10
size = 400

# make data
a = hw.randn(size, size) * size ** -0.5
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
