# wrong
# fails: once
# says: reads 10 values, and one is enough
import headway as hw

batches = 10
size = 24

features = hw.randn(size, size) * 0.2
weights = hw.randn(size, 1) * 0.2
losses = []
for i in range(batches):
    batch = hw.randn(64, size)
    error = (batch @ features).relu() @ weights - 1.0
    loss = (error * error).mean()
    losses.append(loss)
mean_loss = sum(l.item() for l in losses) / batches
print(f"mean loss: {mean_loss:.4f}")
