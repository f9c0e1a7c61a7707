"""Headway's own module: direct access to the queue, without the behaviour of any framework.

Every function that makes or combines tensors issues an op and returns at once. `waitall()` and `wait_to_read()` are
barriers; `print`, `item()`, `numpy()`, `float()` and `if tensor:` are blockers.

Tensors are on the run's device unless `device="cpu"`, `device="gpu"` or `device="gpu:1"` says otherwise; ops run where their inputs are.
"""

import _headway
from _headway import Error, OutOfMemoryError
from headway_devices import has, index_in, is_cpu, none_such
from headway_rows import assign
from headway_text import array_text, from_values, nested, to_numpy, values_of


class Tensor(_headway.Tensor):
    __slots__ = ()
    __setitem__ = assign

    def __repr__(self):
        return "Tensor(%s)" % array_text(self, "Tensor(", True)

    __str__ = __repr__

    @property
    def T(self):
        return self.transpose()

    @property
    def device(self):
        if is_cpu(self.device_number):
            return "cpu"
        return "gpu" if _headway.gpus() == 1 else "gpu:%d" % self.device_number

    def to(self, device):
        """The same values on "cpu", "gpu" or "gpu:1": issues a copy, or returns this tensor if it is already there."""
        number = _number(device)
        return self if number in (-1, self.device_number) else self.to_device(number)

    def cpu(self):
        return self.to("cpu")

    def gpu(self):
        return self.to("gpu")

    cuda = gpu

    def numpy(self):
        return to_numpy(self)

    def tolist(self):
        return nested(values_of(self, "numpy", "tolist"), tuple(self.shape))


def _number(device):
    if device is None:
        return -1
    text = str(device)
    name = text.partition(":")[0]
    if name not in ("cpu", "gpu", "cuda", "simulated"):
        raise ValueError("the devices are cpu and gpu, not %s" % text)
    index = index_in(text)
    if not has(index, name == "cpu"):
        raise ValueError(none_such(text))
    return _headway.cpu() if name == "cpu" else _headway.gpu(index or 0)


def full(shape, value, device=None):
    return _headway.full(shape, value, Tensor, None, False, _number(device))


def zeros(*shape, device=None):
    return full(_shape(shape), 0.0, device)


def ones(*shape, device=None):
    return full(_shape(shape), 1.0, device)


def randn(*shape, device=None):
    return normal(0.0, 1.0, _shape(shape), device)


def normal(mean, deviation, shape, device=None):
    return _headway.normal(shape, mean, deviation, Tensor, None, False, _number(device))


def uniform(low, high, shape, device=None):
    return _headway.uniform(shape, low, high, Tensor, None, False, _number(device))


def tensor(values, device=None):
    return from_values(values, Tensor, None, False, _number(device))


def matmul(a, b):
    return a @ b


def waitall(device=None):
    """Waits for all ops, or for those issued to one device."""
    _headway.waitall("waitall" if device is None else "waitall(%s)" % device, False, _number(device))


def issued():
    """Number of ops issued so far."""
    return _headway.issued()


def clock():
    """Seconds on the run's clock, which stops while the run is paused."""
    return _headway.clock()


def time_text(seconds):
    """A duration with three digits and a suitable unit: "1.38 ms"."""
    return _headway.time_text(seconds)


def gpus():
    """How many GPUs the run has: "gpu:0" and so on."""
    return _headway.gpus()


def device():
    """(kind, name, lanes) of the run's device."""
    return _headway.device()


class scope:
    """A named scope in the timeline."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        _headway.program_event("scope_begin", self._name)

    def __exit__(self, *_):
        _headway.program_event("scope_end", self._name)


class timed(scope):
    """A named scope that prints how long the frontend took: "finished: 1.38 ms"."""

    def __enter__(self):
        super().__enter__()
        self._begin = clock()

    def __exit__(self, *_):
        seconds = clock() - self._begin
        super().__exit__()
        print("%s: %s" % (self._name, time_text(seconds)))


class minibatch:
    """Marks a minibatch; the barrier policy acts at its end."""

    def __enter__(self):
        _headway.program_event("minibatch_begin")

    def __exit__(self, kind, *_):
        if kind is None:
            _headway.program_event("minibatch_end")
        elif issubclass(kind, Exception):
            _headway.program_event("minibatch_abandon")


def barrier(policy):
    """The program's own barrier policy: "none", "op", "minibatch" or "behind:K". It holds while the barrier selector is
    on "As written"; every other choice there replaces it."""
    _headway.program_event("barrier", policy)


def measure():
    """Begins measuring: everything before was warm-up. The last call counts."""
    _headway.program_event("measure_begin")


class record:
    """Records the ops inside, so that backward() can compute their gradients."""

    def __enter__(self):
        self._before = _headway.set_recording(True)

    def __exit__(self, *_):
        _headway.set_recording(self._before)


def _shape(shape):
    return shape[0] if len(shape) == 1 else shape
