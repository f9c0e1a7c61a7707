from mxnet import np, npx

npx.set_np()
x = np.ones((1, 2))
y = np.ones((1, 2))
z = x * y + 2
print(z)
