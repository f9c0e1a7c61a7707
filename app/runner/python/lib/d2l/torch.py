from d2l._common import Benchmark, Timer, missing


def try_gpu(i=0):
    """The GPU with this index if the run's device is a GPU, else the CPU."""
    import torch

    return torch.device("cuda:%d" % i) if torch.cuda.device_count() > i else torch.device("cpu")


def try_all_gpus():
    """All GPUs of the run, or the CPU if there is none."""
    import torch

    return [torch.device("cuda:%d" % i) for i in range(torch.cuda.device_count())] or [torch.device("cpu")]


def num_gpus():
    import torch

    return torch.cuda.device_count()


def __getattr__(name):
    raise missing("d2l.torch", name)
