import headway as hw
from mxnet import np, npx

npx.set_np()
before = 3
after = 6
size = 400

# make data
a = np.random.normal(size=(size, size)) * size ** -0.5


def issue():
    middle = a
    for _ in range(before):
        middle = np.dot(middle, a)
    end = middle
    for _ in range(after):
        end = np.dot(end, a)
    return middle, end


middle, end = issue()  # warm-up
npx.waitall()
middle, end = issue()
npx.waitall()
hw.measure()

# issue, and wait for one
with hw.timed("wait_to_read"):
    middle, end = issue()
    middle.wait_to_read()
npx.waitall()

# issue, and wait for all
with hw.timed("waitall"):
    middle, end = issue()
    npx.waitall()
