from d2l._common import Benchmark, Timer, missing


def try_gpu(i=0):
    from mxnet import npx

    return npx.gpu(i) if npx.num_gpus() > i else npx.cpu()


def try_all_gpus():
    """All GPUs of the run, or the CPU if there is none."""
    from mxnet import npx

    return [npx.gpu(i) for i in range(npx.num_gpus())] or [npx.cpu()]


def num_gpus():
    from mxnet import npx

    return npx.num_gpus()


def __getattr__(name):
    raise missing("d2l.mxnet", name)
