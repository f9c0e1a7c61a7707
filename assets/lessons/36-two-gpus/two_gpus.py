import headway as hw

products = 10
size = 500
copies = 4


def chain(device):
    y = results[device]
    for _ in range(products):
        y = y @ weights[device]
    results[device] = y


def send(device):
    return [results[device].to("cpu") for _ in range(copies)]


# make data
weights, results = {}, {}
for device in ("gpu:0", "gpu:1"):
    weights[device] = hw.randn(size, size, device=device) * size ** -0.5
    results[device] = hw.randn(size, size, device=device)
results["gpu:0"].to("cpu")
hw.waitall()
hw.measure()

# compute
with hw.timed("one computes"):
    chain("gpu:0")
    hw.waitall()
with hw.timed("both compute"):
    chain("gpu:0")
    chain("gpu:1")
    hw.waitall()

# copy
with hw.timed("one copies"):
    sent = send("gpu:0")
    hw.waitall()
with hw.timed("both copy"):
    sent = send("gpu:0")
    sent += send("gpu:1")
    hw.waitall()
