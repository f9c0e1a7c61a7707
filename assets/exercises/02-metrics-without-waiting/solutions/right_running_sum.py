# right
import headway as hw

batches = 10
size = 24

features = hw.randn(size, size) * 0.2
weights = hw.randn(size, 1) * 0.2
total = 0.0
for i in range(batches):
    batch = hw.randn(64, size)
    error = (batch @ features).relu() @ weights - 1.0
    total = (error * error).mean() + total
mean_loss = (total / batches).item()
