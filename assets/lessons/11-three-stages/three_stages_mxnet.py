import headway as hw
from mxnet import np, npx

npx.set_np()
n = 200
wait = "once"
size = 2

# make data
x = np.ones((1, size))
(x + 1).wait_to_read()
hw.measure()

# issue
for _ in range(n):
    y = x + 1
    if wait == "each":
        y.wait_to_read()

# wait
if wait == "once":
    npx.waitall()
