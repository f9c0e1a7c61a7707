import time

import headway as hw
from mxnet import np, npx

npx.set_np()
batches = 12
behind = 1
pause = 150

# make data
w = np.random.normal(size=(512, 1024)) * 0.05
npx.waitall()
hw.barrier("behind:%d" % behind)
hw.measure()

# issue
for i in range(batches):
    with hw.minibatch():
        x = np.random.normal(size=(1024, 512))
        hidden = npx.relu(np.dot(x, w))
        loss = (hidden * hidden).mean()
    if i % 4 == 3:
        time.sleep(pause / 1e6)

# wait
npx.waitall()
