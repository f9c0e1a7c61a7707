import time

import headway as hw

batches = 12
behind = 1
pause = 150

# make data
w = hw.randn(512, 1024) * 0.05
hw.waitall()
hw.barrier("behind:%d" % behind)
hw.measure()

# issue
for i in range(batches):
    with hw.minibatch():
        x = hw.randn(1024, 512)
        hidden = (x @ w).relu()
        loss = (hidden * hidden).mean()
    if i % 4 == 3:
        time.sleep(pause / 1e6)

# wait
hw.waitall()
