import tensorflow as tf

x = tf.ones((1, 2))
y = tf.ones((1, 2))
z = x * y + 2
print(z)
