# wrong
# fails: overlap
# says: has ended before anything of
import headway as hw

batches = 8
size = 24

a = hw.randn(size, size) * 0.1
losses = []
for i in range(batches):
    with hw.minibatch():
        hidden = a @ a
        hidden.wait_to_read()
        loss = (hidden * hidden).sum()
    losses.append(loss)
    if i > 0:
        hw.waitall()
hw.waitall()
