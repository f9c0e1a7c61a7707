"""tensorflow → Headway's TensorFlow dialect: the part that compares eager and traced execution.

As in TensorFlow, eager ops on a GPU return before they have run, and ops on the CPU return when they are done: on the
CPU this dialect waits after each op. A function under @tf.function is traced at its first call with these shapes; each
call issues all that was traced as one op.
"""

import _headway
from headway_devices import Namespace, has, index_in, is_cpu, none_such
from headway_math import of_one
from headway_text import array_text, float32_only, from_values, to_numpy, typed

float32 = "float32"
_tracing = 0


class Tensor(_headway.Tensor):
    __slots__ = ()

    def __repr__(self):
        text = array_text(self, "array(", False)
        shown = "array(%s)" % text if self.numbers == "boolean" else "array(%s, dtype=%s)" % (text, self.dtype)
        return "<tf.Tensor: shape=%s, dtype=%s, numpy=\n%s>" % (tuple(self.shape), self.dtype, shown)

    def __str__(self):
        text = array_text(self, "", False).replace(",", "")
        head = "\n" if "\n" in text else ""
        return "tf.Tensor(%s%s, shape=%s, dtype=%s)" % (head, text, tuple(self.shape), self.dtype)

    # Tensors are immutable: x += 1 binds x to a new one.
    def __iadd__(self, other):
        return self + other

    def __isub__(self, other):
        return self - other

    def __imul__(self, other):
        return self * other

    def numpy(self):
        return to_numpy(self)

    @property
    def dtype(self):
        return {"real": float32, "integer": "int32", "boolean": "bool"}[self.numbers]

    def __setitem__(self, key, value):
        raise TypeError("'Tensor' object does not support item assignment: TensorFlow's tensors do not change")

    def __getattr__(self, name):
        raise AttributeError("Headway's TensorFlow dialect has no Tensor.%s" % name)


_devices = []  # stack of `with tf.device(...)`, innermost last


def _waits(number):
    """Whether ops on the device of this number (-1: the run's) are waited for: on the CPU, except during tracing."""
    return not _tracing and is_cpu(max(number, 0))


def _kind():
    number = _devices[-1]._number() if _devices else -1
    return (Tensor, None, _waits(number), number)


def _settle(tensor):
    """The tensor with `waits` as its device requires; numbers and lists become one, as in TensorFlow."""
    if not isinstance(tensor, _headway.Tensor):
        return constant(tensor)
    waits = _waits(tensor.device_number)
    return tensor if tensor.waits == waits else Tensor(tensor, None, waits)


def _operands(a, b):
    """The inputs of an op of two: a number beside a tensor stays a number."""
    if isinstance(a, (int, float)) and isinstance(b, _headway.Tensor):
        return a, _settle(b)
    return _settle(a), b if isinstance(b, (int, float)) else _settle(b)


def constant(values, dtype=None, shape=None):
    _real(dtype)
    make = lambda: from_values(values, *_kind())
    made = make() if dtype else typed(values, make)
    return made if shape is None else made.reshape(shape)


def _real(dtype):
    float32_only(dtype, "TensorFlow", float32)


convert_to_tensor = constant


def ones(shape, dtype=None):
    _real(dtype)
    return _headway.full(shape, 1.0, *_kind())


def zeros(shape, dtype=None):
    _real(dtype)
    return _headway.full(shape, 0.0, *_kind())


def matmul(a, b, transpose_a=False, transpose_b=False):
    return _settle(a).matmul(_settle(b), transpose_a, transpose_b)


def add(a, b):
    a, b = _operands(a, b)
    return a + b


def multiply(a, b):
    a, b = _operands(a, b)
    return a * b


globals().update(of_one(_settle, without=("log",)))  # TensorFlow has tf.math.log


def reduce_sum(a, axis=None, keepdims=False):
    return _settle(a).sum(axis, keepdims)


def reduce_mean(a, axis=None, keepdims=False):
    return _settle(a).mean(axis, keepdims)


def reshape(a, shape):
    return _settle(a).reshape(shape)


def _no_seed(seed):
    if seed is not None:
        raise NotImplementedError(
            "Headway's TensorFlow dialect has no seed of a single op; call tf.random.set_seed(%r) before it" % (seed,)
        )


class random(metaclass=Namespace):
    """tf.random"""

    _dialect, _full_name = "TensorFlow", "tf.random"

    @staticmethod
    def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
        _real(dtype)
        _no_seed(seed)
        return _headway.normal(shape, mean, stddev, *_kind())

    @staticmethod
    def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
        _real(dtype)
        _no_seed(seed)
        return _headway.uniform(shape, minval, maxval, *_kind())

    @staticmethod
    def set_seed(seed):
        """Seeds the random numbers: equal seeds give equal values. The run's --seed also has an influence."""
        _headway.start_random(seed)


class nn(metaclass=Namespace):
    """tf.nn"""

    _dialect, _full_name = "TensorFlow", "tf.nn"

    @staticmethod
    def relu(a):
        return _settle(a).relu()


def function(traced=None, **options):
    """Traces the function at its first call with given shapes; every call issues the traced graph as one op."""
    if traced is None:
        return lambda f: function(f, **options)
    graphs = {}

    def call(*args, **kwargs):
        if _tracing:
            return traced(*args, **kwargs)  # inlined into the graph that is being traced
        tensors = []
        key = (_outline(args, tensors), tuple((name, _outline(kwargs[name], tensors)) for name in sorted(kwargs)))
        try:
            known = graphs.get(key)
        except TypeError:
            raise TypeError("%s: an argument is neither a tensor nor hashable" % call.__name__) from None
        if known is None:
            known = graphs[key] = _traced(traced, args, kwargs, tensors)
        graph, outline = known
        number = tensors[0].device_number if tensors else _kind()[3]
        return _filled(outline, _headway.run_graph(graph, tensors, Tensor, None, _waits(number)))

    call.__name__ = getattr(traced, "__name__", "function")
    call.python_function = traced
    return call


class _Slot:
    """A placeholder for the position of a tensor."""

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index


def _outline(value, tensors):
    """A hashable key of everything that a call depends on except the tensors' values; appends the tensors to a list."""
    if isinstance(value, _headway.Tensor):
        tensors.append(value)
        return ("tensor", tuple(value.shape))
    if isinstance(value, (tuple, list)):
        return (type(value),) + tuple(_outline(v, tensors) for v in value)
    return (type(value), value)  # 1, True and 1.0 are equal


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
    """A traced graph, and how the function's result is built from its outputs."""
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
    _headway.program_event("scope_begin", "tracing " + name)
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
        _headway.program_event("scope_end", "tracing " + name)
    return graph, outline


class config(metaclass=Namespace):
    """tf.config"""

    _dialect, _full_name = "TensorFlow", "tf.config"

    @staticmethod
    def list_physical_devices(kind=None):
        found = ["/physical_device:CPU:0"] + ["/physical_device:GPU:%d" % i for i in range(_headway.gpus())]
        return [d for d in found if kind is None or ":%s:" % kind in d]


def identity(a):
    """The same values, on the device of the enclosing `with tf.device(...)`."""
    a, number = _settle(a), _kind()[3]
    return a.copy() if number in (-1, a.device_number) else a.to_device(number, None, _waits(number))


class device:
    """with tf.device("/CPU:0"): tensors created inside are on it; ops run where their inputs are. tf.identity()
    copies from one device to another."""

    def __init__(self, name):
        self.name = name
        # "/GPU:0", "GPU:0", "/device:GPU:0", "/job:localhost/replica:0/task:0/device:GPU:0"
        last = str(name).upper().rpartition("/")[2]
        for before in ("DEVICE:", "PHYSICAL_DEVICE:"):
            last = last[len(before) :] if last.startswith(before) else last
        self._kind = last.partition(":")[0]
        if self._kind not in ("CPU", "GPU"):
            raise ValueError('the devices are CPU and GPU, as in "/GPU:0", not "%s"' % (name,))
        self._index = index_in(last)
        if not has(self._index, self._kind == "CPU"):
            raise ValueError(none_such(name))

    def _number(self):
        return _headway.gpu(self._index or 0) if self._kind == "GPU" else _headway.cpu()

    def __enter__(self):
        _devices.append(self)
        return self

    def __exit__(self, *args):
        _devices.pop()


class test(metaclass=Namespace):
    """tf.test"""

    _dialect, _full_name = "TensorFlow", "tf.test"

    class experimental:
        @staticmethod
        def sync_devices():
            _headway.waitall("tf.test.experimental.sync_devices", True)


def __getattr__(name):
    raise AttributeError("Headway's TensorFlow dialect has no tf.%s" % name)
