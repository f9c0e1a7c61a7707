# wrong
# fails: marks
# says: 0 marked minibatches
import headway as hw

batches = 8
size = 24

a = hw.randn(size, size) * 0.1
losses = []
for i in range(batches):
    if True:
        hidden = a @ a
        loss = (hidden * hidden).sum()
    losses.append(loss)
    if i > 0:
        losses[-2].wait_to_read()
hw.waitall()
