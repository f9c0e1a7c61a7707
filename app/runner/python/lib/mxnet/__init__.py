"""mxnet → Headway's MXNet dialect: the part of MXNet that the chapter uses, on Headway's queue.

As in MXNet, every op is asynchronous on every device, the CPU included.
"""

from mxnet import autograd, gluon, np, npx


class _Context:
    def __init__(self, kind, index=0):
        self.device_type = kind
        self.device_id = index

    def __repr__(self):
        return "%s(%d)" % (self.device_type, self.device_id)

    def __eq__(self, other):
        return repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))


def cpu(i=0):
    return _Context("cpu", i)


def gpu(i=0):
    return _Context("gpu", i)


def __getattr__(name):
    raise AttributeError("Headway's MXNet dialect has no mxnet.%s" % name)
