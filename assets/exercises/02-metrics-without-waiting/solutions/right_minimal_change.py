# right
import headway as hw

batches = 10
size = 24

features = hw.randn(size, size) * 0.2
weights = hw.randn(size, 1) * 0.2
mean_loss = 0.0
for i in range(batches):
    batch = hw.randn(64, size)
    error = (batch @ features).relu() @ weights - 1.0
    loss = (error * error).mean()
    mean_loss += loss / batches
mean_loss = mean_loss.item()
print(f"mean loss: {mean_loss:.4f}")
