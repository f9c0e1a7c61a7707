from d2l._common import Benchmark, Timer, missing


def try_gpu(i=0):
    from mxnet import npx

    return npx.gpu(i) if npx.num_gpus() > i else npx.cpu()


def __getattr__(name):
    raise missing("d2l.mxnet", name)
