"""tensorflow → Headway's TensorFlow dialect: the part that shows eager against traced.

An eager op is issued one at a time and waited for. A function under @tf.function is traced at its first call with
these shapes; each call issues all that was traced as one op, and waits only where a value is needed.
"""

import _headway
from headway_devices import index_in, none_such
from headway_text import array_text, from_values, to_numpy

float32 = "float32"
_tracing = 0


class Tensor(_headway.Tensor):
    __slots__ = ()

    def __repr__(self):
        return "<tf.Tensor: shape=%s, dtype=float32, numpy=\narray(%s, dtype=float32)>" % (
            tuple(self.shape),
            array_text(self, "array(", False),
        )

    def __str__(self):
        text = array_text(self, "", False).replace(",", "")
        head = "\n" if "\n" in text else ""
        return "tf.Tensor(%s%s, shape=%s, dtype=float32)" % (head, text, tuple(self.shape))

    def numpy(self):
        return to_numpy(self)

    @property
    def dtype(self):
        return float32

    def __getattr__(self, name):
        raise AttributeError("Headway's TensorFlow dialect has no Tensor.%s" % name)


_devices = []  # those of `with tf.device(...)`, innermost last


def _kind():
    return (Tensor, None, not _tracing, _devices[-1]._number() if _devices else -1)


def _settle(tensor):
    """A tensor with the habits of where it is used: waited for when eager, not inside a traced function."""
    return tensor if tensor.waits == (not _tracing) else Tensor(tensor, None, not _tracing)


def constant(values, dtype=None, shape=None):
    made = from_values(values, *_kind())
    return made if shape is None else made.reshape(shape)


convert_to_tensor = constant


def ones(shape, dtype=None):
    return _headway.full(shape, 1.0, *_kind())


def zeros(shape, dtype=None):
    return _headway.full(shape, 0.0, *_kind())


def matmul(a, b, transpose_a=False, transpose_b=False):
    return _settle(a).matmul(b, transpose_a, transpose_b)


def add(a, b):
    return _settle(a) + b


def multiply(a, b):
    return _settle(a) * b


def exp(a):
    return _settle(a).exp()


def sqrt(a):
    return _settle(a).sqrt()


def reduce_sum(a, axis=None, keepdims=False):
    return _settle(a).sum(axis, keepdims)


def reduce_mean(a, axis=None, keepdims=False):
    return _settle(a).mean(axis, keepdims)


def reshape(a, shape):
    return _settle(a).reshape(shape)


class random:
    """tf.random"""

    @staticmethod
    def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
        return _headway.normal(shape, mean, stddev, *_kind())

    @staticmethod
    def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
        return _headway.uniform(shape, minval, maxval, *_kind())

    @staticmethod
    def set_seed(seed):
        """The run's seed decides the values (--seed)."""


class nn:
    """tf.nn"""

    @staticmethod
    def relu(a):
        return _settle(a).relu()


def function(traced=None, **options):
    """Traces the function at its first call with these shapes; every call issues what was traced as one op."""
    if traced is None:
        return lambda f: function(f, **options)
    graphs = {}

    def call(*args, **kwargs):
        if _tracing:
            return traced(*args, **kwargs)  # becomes part of the graph that is being traced
        tensors = []
        key = (_outline(args, tensors), tuple((name, _outline(kwargs[name], tensors)) for name in sorted(kwargs)))
        try:
            known = graphs.get(key)
        except TypeError:
            raise TypeError("%s: an argument is neither a tensor nor hashable" % call.__name__) from None
        if known is None:
            known = graphs[key] = _traced(traced, args, kwargs, tensors)
        graph, outline = known
        return _filled(outline, _headway.run_graph(graph, tensors, Tensor))

    call.__name__ = getattr(traced, "__name__", "function")
    call.python_function = traced
    return call


class _Slot:
    """Where a tensor goes."""

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index


def _outline(value, tensors):
    """What a call depends on besides the tensors' values, hashable; the tensors are appended."""
    if isinstance(value, _headway.Tensor):
        tensors.append(value)
        return ("tensor", tuple(value.shape))
    if isinstance(value, (tuple, list)):
        return (type(value).__name__,) + tuple(_outline(v, tensors) for v in value)
    return value


def _slotted(value, tensors):
    if isinstance(value, _headway.Tensor):
        tensors.append(value)
        return _Slot(len(tensors) - 1)
    if isinstance(value, (tuple, list)):
        return type(value)(_slotted(v, tensors) for v in value)
    if isinstance(value, dict):
        return {k: _slotted(v, tensors) for k, v in value.items()}
    return value


def _filled(outline, tensors):
    if isinstance(outline, _Slot):
        return tensors[outline.index]
    if isinstance(outline, (tuple, list)):
        return type(outline)(_filled(v, tensors) for v in outline)
    if isinstance(outline, dict):
        return {k: _filled(v, tensors) for k, v in outline.items()}
    return outline


def _traced(function, args, kwargs, tensors):
    """The graph, and how what the function returns is made of its tensors."""
    global _tracing
    name = "tf.function " + getattr(function, "__name__", "function")
    stand_ins = iter(_headway.trace_begin(tensors, Tensor))

    def inside(value):
        if isinstance(value, _headway.Tensor):
            return next(stand_ins)
        if isinstance(value, (tuple, list)):
            return type(value)(inside(v) for v in value)
        return value

    _tracing += 1
    _headway.mark("scope_begin", "tracing " + name)
    try:
        result = function(*inside(args), **{k: inside(kwargs[k]) for k in sorted(kwargs)})
        made = []
        outline = _slotted(result, made)
        graph = _headway.trace_end(name, made)
    except BaseException:
        _headway.trace_abandon()
        raise
    finally:
        _tracing -= 1
        _headway.mark("scope_end", "tracing " + name)
    return graph, outline


class config:
    """tf.config"""

    @staticmethod
    def list_physical_devices(kind=None):
        gpu = _headway.device()[0] != "cpu"
        found = ["/physical_device:CPU:0"] + (["/physical_device:GPU:0"] if gpu else [])
        return [d for d in found if kind is None or ":%s:" % kind in d]


def identity(a):
    """The same values, on the device of the `with tf.device(...)` around."""
    number = _kind()[3]
    return _settle(a).copy() if number in (-1, a.device_number) else a.to_device(number, None, not _tracing)


class device:
    """with tf.device("/CPU:0"): tensors that are made inside are there; ops run where their inputs are. tf.identity()
    copies from one device to another."""

    def __init__(self, name):
        self.name = name
        # "/GPU:0", "GPU:0", "/device:GPU:0", "/job:localhost/replica:0/task:0/device:GPU:0"
        last = str(name).upper().rpartition("/")[2]
        for before in ("DEVICE:", "PHYSICAL_DEVICE:"):
            last = last[len(before) :] if last.startswith(before) else last
        self._kind = last.partition(":")[0]
        if self._kind not in ("CPU", "GPU"):
            raise ValueError('there is no device "%s": a run has /CPU:0 and /GPU:0' % (name,))
        if index_in(last) not in (None, 0):
            raise ValueError(none_such(name))

    def _number(self):
        return _headway.gpu() if self._kind == "GPU" else _headway.cpu()

    def __enter__(self):
        _devices.append(self)
        return self

    def __exit__(self, *args):
        _devices.pop()


class test:
    """tf.test"""

    class experimental:
        @staticmethod
        def sync_devices():
            _headway.waitall("tf.test.experimental.sync_devices", True)


def __getattr__(name):
    raise AttributeError("Headway's TensorFlow dialect has no tf.%s" % name)
