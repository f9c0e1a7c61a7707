import headway as hw

steps = 2
hidden = 2048
wait_for = "last layer"

# make data
x = hw.randn(1024, 512)
labels = hw.ones(1024, 1)
first = (hw.randn(512, hidden) * 0.05).require_gradient()
last = (hw.randn(hidden, 1) * 0.05).require_gradient()
hw.waitall()
hw.measure()

# issue
for _ in range(steps):
    with hw.record():
        y = (x @ first).relu() @ last
        loss = (y - labels).square().mean()
    loss.backward()
    for weights in (first, last):
        weights.add_scaled_(weights.gradient, -0.01)
    # wait
    if wait_for != "nothing":
        {"loss": loss, "last layer": last, "first layer": first}[wait_for].wait_to_read()
hw.waitall()
print("loss %.4f" % loss.item())
