"""mxnet → Headway's MXNet dialect: the part of MXNet that the chapter uses, on Headway's queue.

As in MXNet, every op is asynchronous on every device, the CPU included.
"""

import _headway

from mxnet import autograd, gluon, np, npx


class _Context:
    def __init__(self, kind, index=0):
        self.device_type = kind
        self.device_id = index

    @property
    def _number(self):
        if self.device_type == "cpu":
            return _headway.cpu()
        gpus = npx.num_gpus()
        if gpus > 0 and not 0 <= self.device_id < gpus:
            has = "one GPU" if gpus == 1 else "%d GPUs, from 0 to %d" % (gpus, gpus - 1)
            raise ValueError("there is no %r: the run has %s" % (self, has))
        return _headway.gpu(max(self.device_id, 0))

    def __enter__(self):
        _contexts.append(self)
        return self

    def __exit__(self, *_):
        _contexts.pop()

    def __repr__(self):
        return "%s(%s)" % (self.device_type, self.device_id)

    def __eq__(self, other):
        return repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))


Context = _Context
_contexts = []  # stack of `with` contexts, innermost last


def current_context():
    if _contexts:
        return _contexts[-1]
    return cpu() if _headway.device()[0] == "cpu" else gpu()


def cpu(i=0):
    return _Context("cpu", i)


def gpu(i=0):
    return _Context("gpu", i)


def __getattr__(name):
    raise AttributeError("Headway's MXNet dialect has no mxnet.%s" % name)
