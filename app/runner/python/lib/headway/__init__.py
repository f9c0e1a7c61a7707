"""Headway's own plain module: the queue as it is, with no framework's habits.

Every function that makes or combines tensors issues an op and returns at once. `waitall()` and `wait_to_read()` are
barriers; `print`, `item()`, `numpy()`, `float()` and `if tensor:` are blockers.
"""

import _headway
from _headway import Error, OutOfMemoryError
from headway_text import array_text, from_values, nested, to_numpy, values_of


class Tensor(_headway.Tensor):
    __slots__ = ()

    def __repr__(self):
        return "Tensor(%s)" % array_text(self, "Tensor(", True)

    __str__ = __repr__

    @property
    def T(self):
        return self.transpose()

    def numpy(self):
        return to_numpy(self)

    def tolist(self):
        return nested(values_of(self, "numpy", "tolist"), tuple(self.shape))


def full(shape, value):
    return _headway.full(shape, value, Tensor)


def zeros(*shape):
    return full(_shape(shape), 0.0)


def ones(*shape):
    return full(_shape(shape), 1.0)


def randn(*shape):
    return _headway.normal(_shape(shape), 0.0, 1.0, Tensor)


def normal(mean, deviation, shape):
    return _headway.normal(shape, mean, deviation, Tensor)


def uniform(low, high, shape):
    return _headway.uniform(shape, low, high, Tensor)


def tensor(values):
    return from_values(values, Tensor)


def matmul(a, b):
    return a @ b


def waitall():
    _headway.waitall("waitall")


def issued():
    """How many ops have been issued so far."""
    return _headway.issued()


def clock():
    """Seconds on the run's clock; it stands still while the run is paused."""
    return _headway.clock()


def device():
    """(kind, name, lanes)."""
    return _headway.device()


class scope:
    """A named bracket in the timeline."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        _headway.mark("scope_begin", self._name)

    def __exit__(self, *_):
        _headway.mark("scope_end", self._name)


class minibatch:
    """Marks a minibatch; the barrier policy acts at its end."""

    def __enter__(self):
        _headway.mark("minibatch_begin")

    def __exit__(self, kind, *_):
        if kind is None:
            _headway.mark("minibatch_end")


def measure():
    """What came before was warm-up."""
    _headway.mark("measure_begin")


class record:
    """Gradients of what is computed inside can be taken with backward()."""

    def __enter__(self):
        self._before = _headway.set_recording(True)

    def __exit__(self, *_):
        _headway.set_recording(self._before)


def _shape(shape):
    return shape[0] if len(shape) == 1 else shape
