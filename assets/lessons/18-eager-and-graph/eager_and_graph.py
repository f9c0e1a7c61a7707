import tensorflow as tf
from d2l.tensorflow import Benchmark

steps = 8
size = 200


def step(a):
    b = tf.matmul(a, a)
    b = b * 0.01
    return tf.nn.relu(b) + a


traced = tf.function(step)
a = tf.random.normal((size, size))

with Benchmark("eager"):
    for _ in range(steps):
        b = step(a)

with Benchmark("traced"):
    for _ in range(steps):
        b = traced(a)
    b.numpy()
