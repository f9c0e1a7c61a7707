"""torch.cuda → Headway's PyTorch dialect: streams and events.

Until the program makes a stream, all ops are in their GPU's default stream. From then on an op is in the stream that is
current on its GPU, and only the program orders ops of different streams.
"""

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
    """Waits for a GPU. Where the CPU's lanes stand in for one, d2l's try_gpu() is the CPU: then for all of its ops."""
    import torch

    if _gpu_kind == "cpu" and (device is None or torch._device(device).type == "cpu"):
        waited = -1  # all devices
    else:
        waited = _headway.gpu(_index(device))
    _headway.waitall("torch.cuda.synchronize", True, waited)


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


class Stream:
    """Ops of one stream run in their order; ops of several streams in any order that the program allows."""

    _opened = False

    def __init__(self, device=None, priority=0, **options):
        import torch

        if torch._device("cuda" if device is None else device).type != "cuda":
            raise ValueError("a stream is on a GPU: torch.cuda.Stream() has no device %s" % (device,))
        self._index = _headway.gpu(_index(device))  # Error if the run has none
        self._become(_headway.stream_open(self._index), priority)
        self._opened = True

    def _become(self, number, priority=0):
        self._number = number  # among the streams of all GPUs
        self.cuda_stream = number - _headway.stream_default(self._index)
        self.priority = priority

    def __del__(self):
        if self._opened:
            _headway.stream_close(self._number)

    @property
    def device(self):
        import torch

        return torch.device("cuda", self._index)

    def wait_stream(self, stream):
        """Ops that are issued to this stream from now on start after what has been issued to the other one."""
        _headway.stream_wait(self._number, _headway.stream_point(stream._number))

    def wait_event(self, event):
        event.wait(self)

    def record_event(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self):
        return _headway.stream_finished(_headway.stream_point(self._number))

    def synchronize(self):
        _headway.stream_synchronize(_headway.stream_point(self._number), "Stream.synchronize")

    def __eq__(self, other):
        return isinstance(other, Stream) and self._number == other._number

    def __hash__(self):
        return hash(self._number)

    def __repr__(self):
        return "<torch.cuda.Stream device=cuda:%d cuda_stream=%#x>" % (self._index, self.cuda_stream)

    def __getattr__(self, name):
        raise AttributeError("Headway's PyTorch dialect has no torch.cuda.Stream.%s" % name)


_default_streams, _current_streams = {}, {}  # by the index of their GPU


def default_stream(device=None):
    index = _index(device)
    if index not in _default_streams:
        made = Stream.__new__(Stream)
        made._index = index
        made._become(_headway.stream_default(index))
        _default_streams[index] = made
    return _default_streams[index]


def current_stream(device=None):
    index = _index(device)
    return _current_streams[index] if index in _current_streams else default_stream(index)


def set_stream(stream):
    """Its GPU becomes the current one, and it the current stream there."""
    if stream is not None:
        _headway.stream_set(stream._number)
        _current_streams[stream._index] = stream
        _current[0] = stream._index


class stream:
    """with torch.cuda.stream(s): ops of the GPU of s are in the stream s, and "cuda" without an index is that GPU."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self._before = current_stream()
            self._before_there = current_stream(self.stream._index)
            set_stream(self.stream)
        return self

    def __exit__(self, *problem):
        if self.stream is not None:
            set_stream(self._before_there)
            set_stream(self._before)
        return False


class Event:
    """A moment in a stream: what had been issued to it when record() was called. With enable_timing=True it is an op
    that does nothing; its end is the event's time."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        if interprocess:
            raise NotImplementedError("Headway's PyTorch dialect has no events between processes")
        self._timed = enable_timing
        self._point = None
        self._issued = None  # before the program has made a stream: everything
        self._op = None  # if timed: its number and its lane

    def record(self, stream=None):
        self._issued = None if _headway.stream_active() else _headway.issued_so_far("Event.record")
        number = (current_stream() if stream is None else stream)._number
        if self._timed:
            self._op = _headway.stream_mark(number)
        self._point = _headway.stream_point(number)

    def wait(self, stream=None):
        """Ops that are issued to the stream from now on start after this moment."""
        if self._issued is not None:
            self._issued, self._point = None, _headway.stream_point(_headway.stream_default())
        if self._point is not None:
            _headway.stream_wait((current_stream() if stream is None else stream)._number, self._point)

    def query(self):
        """Whether that moment is reached, without waiting. True before record(), as in PyTorch."""
        if self._issued is not None:
            return _headway.finished(self._issued)
        return self._point is None or _headway.stream_finished(self._point)

    def synchronize(self):
        if self._issued is not None:
            _headway.wait_until_finished(self._issued, "Event.synchronize")
        elif self._point is not None:
            _headway.stream_synchronize(self._point, "Event.synchronize")

    def elapsed_time(self, end):
        """Milliseconds on the run's clock."""
        if not (self._timed and end._timed):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if self._op is None or end._op is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        if not (self.query() and end.query()):
            raise RuntimeError("CUDA error: device not ready")
        return (_headway.op_end_ns(*end._op) - _headway.op_end_ns(*self._op)) / 1e6

    def __getattr__(self, name):
        raise AttributeError("Headway's PyTorch dialect has no torch.cuda.Event.%s" % name)


def __getattr__(name):
    raise AttributeError("Headway's PyTorch dialect has no torch.cuda.%s" % name)
