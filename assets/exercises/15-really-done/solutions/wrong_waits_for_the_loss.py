# wrong
# fails: done
# says: ops are still unfinished
import headway as hw

steps = 6
size = 16

weights = hw.randn(size, size) * 0.1
losses = []
for i in range(steps):
    batch = hw.randn(size, size)
    with hw.scope("step"):
        error = (batch @ weights).relu() - 1.0
        loss = (error * error).mean()
        weights = weights - batch.transpose() @ error * 0.001
        loss.wait_to_read()
    losses.append(loss)
