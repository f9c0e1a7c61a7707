import headway as hw
from collections import deque
from mxnet import np, npx

npx.set_np()
batches = 12
size = 600
ahead = 1

# make data
a = np.random.normal(size=(size, size))
npx.waitall()
hw.measure()

# issue, and wait for an earlier loss
losses = deque()
for i in range(batches):
    with hw.minibatch():
        hidden = np.dot(a, a)
        loss = (hidden * hidden).sum()
    losses.append(loss)
    if len(losses) > ahead:
        losses.popleft().wait_to_read()

# wait
npx.waitall()
