"""torch.cuda → Headway's PyTorch dialect: one default stream, and events in it."""

import _headway

OutOfMemoryError = _headway.OutOfMemoryError
_gpu_kind = _headway.device()[0]
_current = [0]  # the index of the current GPU


def is_available():
    return _gpu_kind != "cpu"


def device_count():
    return _headway.gpus()


def _index(where):
    """The index of a GPU that is named in one of PyTorch's ways; None: the current one."""
    import torch

    if where is None:
        return _current[0]
    where = torch._device(where)
    if where.type != "cuda":
        raise ValueError("Expected a cuda device, but got: %s" % where)
    return where.index


def synchronize(device=None):
    index = _index(device)
    _headway.waitall("torch.cuda.synchronize", True, -1 if _gpu_kind == "cpu" else _headway.gpu(index))


def get_device_name(device=None):
    return _headway.device()[1]


def current_device():
    return _current[0]


def set_device(device):
    """From now on "cuda" without an index is this GPU."""
    _current[0] = _index(device)


class device:
    """with torch.cuda.device(1): "cuda" without an index is this GPU inside."""

    def __init__(self, device):
        self.idx = _index(device)

    def __enter__(self):
        self._before = _current[0]
        _current[0] = self.idx

    def __exit__(self, *_):
        _current[0] = self._before


class Event:
    """A point in the default stream: all ops that were issued before record(). Times are not taken: the timeline has
    them."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        if interprocess:
            raise NotImplementedError("Headway's PyTorch dialect has no events between processes")
        self._issued = None  # what record() found

    def record(self, stream=None):
        if stream is not None:
            raise NotImplementedError("Headway's PyTorch dialect has the default stream only")
        self._issued = _headway.issued_so_far("Event.record")

    def query(self):
        """Whether all of these ops are done, without waiting. True before record(), as in PyTorch."""
        return self._issued is None or _headway.finished(self._issued)

    def synchronize(self):
        if self._issued is not None:
            _headway.wait_until_finished(self._issued, "Event.synchronize")

    def __getattr__(self, name):
        raise AttributeError("Headway's PyTorch dialect has no torch.cuda.Event.%s" % name)


def __getattr__(name):
    raise AttributeError("Headway's PyTorch dialect has no torch.cuda.%s" % name)
