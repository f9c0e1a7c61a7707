# wrong
# fails: bounded
# says: before minibatch 0 has ended
import headway as hw

batches = 8
size = 24

a = hw.randn(size, size) * 0.1
losses = []
for i in range(batches):
    with hw.minibatch():
        hidden = a @ a
        loss = (hidden * hidden).sum()
    losses.append(loss)
hw.waitall()
