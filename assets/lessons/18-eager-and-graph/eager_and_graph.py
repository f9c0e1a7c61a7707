import headway as hw
import tensorflow as tf

steps = 8
size = 200


def step(a):
    b = tf.matmul(a, a)
    b = b * 0.01
    return tf.nn.relu(b) + a


traced = tf.function(step)
a = tf.random.normal((size, size))
b = step(a)
b = traced(a)  # the first call traces
b.numpy()
hw.measure()

with hw.timed("eager, issued"):
    for _ in range(steps):
        b = step(a)
b.numpy()

with hw.timed("traced, issued"):
    for _ in range(steps):
        b = traced(a)
b.numpy()
