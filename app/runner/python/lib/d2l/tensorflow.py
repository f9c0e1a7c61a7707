from d2l._common import Benchmark, Timer, missing


def try_gpu(i=0):
    import tensorflow

    return tensorflow.device("/GPU:%d" % i if len(tensorflow.config.list_physical_devices("GPU")) > i else "/CPU:0")


def try_all_gpus():
    """All GPUs of the run, or the CPU if there is none."""
    import tensorflow

    return [tensorflow.device("/GPU:%d" % i) for i in range(len(tensorflow.config.list_physical_devices("GPU")))] or [tensorflow.device("/CPU:0")]


def __getattr__(name):
    raise missing("d2l.tensorflow", name)
