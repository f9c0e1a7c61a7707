# wrong
# fails: time
# says: The run has 284 ops, and 83 are enough
import headway as hw

batches = 10
size = 24

features = hw.randn(size, size) * 0.2
weights = hw.randn(size, 1) * 0.2
losses = []
for i in range(batches):
    batch = hw.randn(64, size)
    error = (batch @ features).relu() @ weights - 1.0
    for k in range(20):
        error + 1
    losses.append((error * error).mean())
mean_loss = sum(losses).item() / batches
