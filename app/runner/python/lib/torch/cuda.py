"""torch.cuda → Headway's PyTorch dialect: streams and events.

Until the program makes a stream, all ops are in the default stream. From then on an op is in the stream that is current,
and only the program orders ops of different streams.
"""

import _headway

OutOfMemoryError = _headway.OutOfMemoryError
_gpu_kind = _headway.device()[0]
_current = [0]  # the index of the current GPU
_default = _headway.stream_default()  # streams are numbers


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

    _number = None

    def __init__(self, device=None, priority=0, **options):
        import torch

        if torch._device("cuda" if device is None else device).type != "cuda":
            raise ValueError("a stream is on a GPU: torch.cuda.Stream() has no device %s" % (device,))
        _headway.gpu()  # Error if the run has none
        self._number = _headway.stream_open()
        self.priority = priority

    def __del__(self):
        if self._number not in (None, _default):
            _headway.stream_close(self._number)

    @property
    def device(self):
        import torch

        return torch.device("cuda", 0)

    @property
    def cuda_stream(self):
        return self._number - _default

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
        return "<torch.cuda.Stream device=cuda:0 cuda_stream=%#x>" % self.cuda_stream

    def __getattr__(self, name):
        raise AttributeError("Headway's PyTorch dialect has no torch.cuda.Stream.%s" % name)


_default_stream = Stream.__new__(Stream)
_default_stream._number, _default_stream.priority = _default, 0


def default_stream(device=None):
    return _default_stream


def current_stream(device=None):
    return _stack[-1] if _stack else default_stream()


def set_stream(stream):
    if stream is not None:
        _headway.stream_set(stream._number)
        _stack[-1:] = [stream]


_stack = []  # the streams of the `with` statements, the innermost last


class stream:
    """with torch.cuda.stream(s): ops are in the stream s."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        before = current_stream()
        if not _stack:
            _stack.append(before)
        if self.stream is not None:
            _headway.stream_set(self.stream._number)
        _stack.append(before if self.stream is None else self.stream)
        return self

    def __exit__(self, *problem):
        _stack.pop()
        _headway.stream_set(_stack[-1]._number)
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
            now = _headway.stream_current()
            _headway.stream_set(number)
            self._op = _headway.stream_mark()
            _headway.stream_set(now)
        self._point = _headway.stream_point(number)

    def wait(self, stream=None):
        """Ops that are issued to the stream from now on start after this moment."""
        if self._issued is not None:
            self._issued, self._point = None, _headway.stream_point(_default)
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
