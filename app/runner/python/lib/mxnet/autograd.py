"""mxnet.autograd → Headway's MXNet dialect."""

import _headway


class record:
    def __init__(self, train_mode=True):
        pass

    def __enter__(self):
        self._before = _headway.set_recording(True)

    def __exit__(self, *args):
        _headway.set_recording(self._before)


class pause:
    def __enter__(self):
        self._before = _headway.set_recording(False)

    def __exit__(self, *args):
        _headway.set_recording(self._before)


def is_recording():
    return _headway.is_recording()


def __getattr__(name):
    raise AttributeError("Headway's MXNet dialect has no mxnet.autograd.%s" % name)
