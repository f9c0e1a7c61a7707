import headway as hw
import tensorflow as tf

calls = 4
shapes = 2
function = "traced"


def step(a):
    print("step has a matrix of", a.shape[0], "rows")
    return tf.nn.relu(tf.matmul(a, a)) + a


if function == "traced":
    step = tf.function(step)

# make data
inputs = [tf.random.normal((200 + 100 * i, 200 + 100 * i)) for i in range(shapes)]
hw.measure()

# issue
for a in inputs:
    for _ in range(calls):
        with hw.scope("call"):
            b = step(a)

# wait
b.numpy()
