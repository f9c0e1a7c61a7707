# wrong
# fails: values
# says: is not the list
import headway as hw

batches = 8
size = 24

w = hw.randn(size, size, device="gpu") * 0.1
losses = []
for i in range(batches):
    with hw.minibatch():
        raw = hw.randn(size, size, device="cpu")
        batch = (raw * 0.6 + 0.1).to("gpu")
        loss = (batch @ w).relu().mean()
    losses.append(loss)
    if i > 0:
        losses[-2].wait_to_read()
hw.waitall()
