from d2l._common import Benchmark, Timer, missing


def try_gpu(i=0):
    """The GPU with this index if the run's device is a GPU, else the CPU."""
    import torch

    return torch.device("cuda:%d" % i) if torch.cuda.device_count() > i else torch.device("cpu")


def __getattr__(name):
    raise missing("d2l.torch", name)
