from d2l._common import Benchmark, Timer, missing


def try_gpu(i=0):
    import tensorflow

    return tensorflow.device("/GPU:%d" % i if len(tensorflow.config.list_physical_devices("GPU")) > i else "/CPU:0")


def __getattr__(name):
    raise missing("d2l.tensorflow", name)
