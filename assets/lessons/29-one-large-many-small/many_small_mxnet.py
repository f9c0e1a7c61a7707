import headway as hw
from mxnet import np, npx

npx.set_np()
rows = 4096
pieces = 64

# make data
parts = [np.random.normal(size=(rows // pieces, 256)) for _ in range(pieces)]
weights = np.random.normal(size=(256, 256)) * (1 / 16)
npx.waitall()
hw.measure()

# issue
results = []
for part in parts:
    results.append(np.dot(part, weights))

# wait
npx.waitall()
