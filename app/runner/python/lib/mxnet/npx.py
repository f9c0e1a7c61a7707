"""mxnet.npx → Headway's MXNet dialect."""

import _headway


def set_np(*args, **kwargs):
    """Has no effect: this dialect always has NumPy's behaviour."""


def waitall():
    _headway.waitall("npx.waitall")  # on all devices


def relu(a):
    return a.relu()


def num_gpus():
    return _headway.gpus()


def cpu(i=0):
    import mxnet

    return mxnet.cpu(i)


def gpu(i=0):
    import mxnet

    return mxnet.gpu(i)


def __getattr__(name):
    raise AttributeError("Headway's MXNet dialect has no mxnet.npx.%s" % name)
