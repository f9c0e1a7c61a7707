# wrong
# fails: work
# says: 8 minibatches with 0 ops on the CPU
import headway as hw

batches = 8
size = 24

w = hw.randn(size, size, device="gpu") * 0.1
losses = []
for i in range(batches):
    with hw.minibatch():
        raw = hw.randn(size, size, device="gpu")
        batch = (raw * 0.5 + 0.1).to("gpu")
        loss = (batch @ w).relu().mean()
    losses.append(loss)
    if i > 0:
        losses[-2].wait_to_read()
hw.waitall()
