import headway as hw

steps = 8
rows = 200
columns = 1600
wait = "once"

# make data
a = hw.randn(columns, columns, device="gpu") * columns ** -0.5
y = hw.randn(rows, columns, device="gpu")
hw.waitall()
hw.measure()

# issue
copies = []
for _ in range(steps):
    y = y @ a
    copies.append(y.to("cpu"))
    if wait == "each":
        copies[-1].wait_to_read()

# wait
hw.waitall()
