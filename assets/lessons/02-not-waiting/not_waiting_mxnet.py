import headway as hw
from mxnet import np, npx

npx.set_np()
reps = 10
size = 1000
wait = "once"


def product():
    a = np.random.normal(size=(size, size))
    return np.dot(a, a)


# warm up
product().wait_to_read()
hw.measure()

with hw.timed("finished"):
    # issue
    with hw.timed("issued"):
        for _ in range(reps):
            b = product()
            if wait == "each":
                b.wait_to_read()
    # wait
    npx.waitall()
