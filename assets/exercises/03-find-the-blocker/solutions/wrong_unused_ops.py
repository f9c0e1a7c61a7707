# wrong
# fails: time
# says: ops, and 82 are enough
import headway as hw

steps = 8
size = 16
lines = []


class Log:
    def __init__(self, every):
        self.every = every
        self.count = 0
        self.kept = []

    def add(self, name, value):
        self.count += 1
        if self.count % self.every == 0:
            self.kept.append((name, self.count, value))


def step(weights, batch):
    guess = (batch @ weights).relu()
    error = guess - 1.0
    gradient = batch.transpose() @ error
    return weights - gradient * 0.001, (error * error).mean()


weights = hw.randn(size, size) * 0.1
log = Log(1)
for i in range(steps):
    batch = hw.randn(32, size)
    weights, loss = step(weights, batch)
    for k in range(20):
        loss + 1
    log.add("loss", loss)
weights.wait_to_read()
for name, count, value in log.kept:
    lines.append(f"{name} {count}: {value}")
