"""A warm-up that still runs when measuring begins, nested scopes, minibatches, a barrier of the program and waits."""
import headway as hw

size = 64
batches = 3

weights = hw.randn(size, size) * size ** -0.5
x = hw.randn(size, size)
for _ in range(4):
    x = x @ weights
hw.measure()

with hw.timed("training"):
    for batch in range(batches):
        with hw.minibatch():
            with hw.scope("forward"):
                hidden = (x @ weights).relu()
                loss = (hidden * hidden).sum()
            with hw.scope("update"):
                weights -= weights * 0.01
            if batch == 1:
                loss.wait_to_read()
        del hidden
print(loss)
values = x.numpy()
hw.waitall()
y = weights.sum()
