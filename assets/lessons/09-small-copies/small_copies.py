import headway as hw
import numpy

steps = 20
size = 600
copy = "each"

a = hw.randn(size, size)
hw.waitall()
hw.measure()
row = a[0]
for _ in range(steps):
    product = a @ a
    row = product[0] * 0.01
    if copy == "each":
        values = row.numpy()
        row = hw.tensor(numpy.tanh(values))
values = row.numpy()
print("mean of the row:", round(float(values.mean()), 4))
