import headway as hw

steps = 4
size = 400
result = "in place"

# make data
a = hw.randn(size, size) * size ** -0.5
hw.waitall()
hw.measure()

# issue
for _ in range(steps):
    product = a @ a
    if result == "in place":
        a += 0.001
    else:
        a = a + 0.001

# wait
hw.waitall()
print("mean of the last product: %.6f" % product.mean().item())
