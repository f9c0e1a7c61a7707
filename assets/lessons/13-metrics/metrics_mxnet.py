import headway as hw
from mxnet import np, npx

npx.set_np()
batches = 20
report = "end"

# make data
features = np.random.normal(size=(1024, 1024)) * 0.03
weight = np.random.normal(size=(1024, 1)) * 0.03
npx.waitall()
hw.measure()

# issue, and report
losses = []
for i in range(batches):
    with hw.minibatch():
        hidden = npx.relu(np.dot(np.random.normal(size=(512, 1024)), features))
        error = np.dot(hidden, weight) - 1.0
        loss = (error * error).mean()
        weight = weight - np.dot(hidden.T, error) * 0.00001
        if report == "each":
            print(f"minibatch {i + 1}: {loss.item():.4f}")
        losses.append(loss)

# reduce, and wait
total = losses[0]
for loss in losses[1:]:
    total = total + loss
print(f"mean loss: {total.item() / len(losses):.4f}")
