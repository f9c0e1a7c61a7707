# wrong
# fails: values
# says: it should be the number
import headway as hw

batches = 10
size = 24

features = hw.randn(size, size) * 0.2
weights = hw.randn(size, 1) * 0.2
losses = []
for i in range(batches):
    batch = hw.randn(64, size)
    error = (batch @ features).relu() @ weights - 1.0
    losses.append((error * error).mean())

mean_loss = losses[-1].item()
print(f"mean loss: {mean_loss:.4f}")
