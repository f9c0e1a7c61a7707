"""mxnet.np → Headway's MXNet dialect."""

import _headway
from headway_devices import Namespace, is_cpu
from headway_math import of_one, product
from headway_rows import assign, stacked
from headway_text import array_text, float32_only, from_values, nested, to_numpy, typed, values_of

float32 = "float32"


class ndarray(_headway.Tensor):
    __slots__ = ()
    __setitem__ = assign

    def __repr__(self):
        text = "array(" + array_text(self, "array(", False)
        return text + (", ctx=%r)" % self.ctx if self.ctx.device_type == "gpu" else ")")

    def __str__(self):
        text = array_text(self, "", False).replace(",", "")
        return text + (" @%r" % self.ctx if self.ctx.device_type == "gpu" else "")

    def __format__(self, spec):
        return format(self.item(), spec) if spec else str(self)

    @property
    def dtype(self):
        return {"real": float32, "integer": "int64", "boolean": "bool"}[self.numbers]

    @property
    def T(self):
        return self.transpose(0, 1)

    @property
    def ctx(self):
        import mxnet

        number = self.device_number
        return mxnet.cpu(0) if is_cpu(number) else mxnet.gpu(number)

    context = ctx

    @property
    def grad(self):
        return self.gradient

    def attach_grad(self, grad_req="write"):
        if grad_req not in ("write", "add"):
            raise ValueError("grad_req is 'write' or 'add'")
        self.require_gradient(grad_req == "add")

    def backward(self, out_grad=None, retain_graph=False):
        _headway.Tensor.backward(self, out_grad, bool(retain_graph))

    def asnumpy(self):
        return to_numpy(self, "asnumpy")

    def asscalar(self):
        return self.item()

    def tolist(self):
        return nested(values_of(self, "numpy", "tolist"), tuple(self.shape))

    def dot(self, other):
        return self @ other

    def as_in_ctx(self, ctx):
        """This array if it is already in that context, else a copy; does not wait for it."""
        number = _number(_context(ctx))
        return self if number == self.device_number else self.to_device(number)

    as_in_context = as_in_ctx

    def copyto(self, other):
        """Copies into a new array in a context, or into another array."""
        if isinstance(other, ndarray):
            return self.copy_into(other)
        number = _number(_context(other))
        return self.copy() if number == self.device_number else self.to_device(number)

    def __getattr__(self, name):
        raise AttributeError("Headway's MXNet dialect has no ndarray.%s" % name)


def _context(ctx):
    import mxnet

    if not isinstance(ctx, mxnet.Context):
        raise TypeError("a context is wanted, mx.cpu() or mx.gpu(), not %r" % (ctx,))
    return ctx


def _number(ctx):
    """The device number of a context; None: that of the enclosing `with mx.cpu():`, else the run's device."""
    import mxnet

    if ctx is None and not mxnet._contexts:
        return -1
    return (mxnet.current_context() if ctx is None else _context(ctx))._number


def _where(ctx):
    return (ndarray, None, False, _number(ctx))


def array(values, dtype=None, ctx=None):
    """An array of float32, as in MXNet; integers and booleans of NumPy arrays keep their kind."""
    _real(dtype)
    make = lambda: from_values(values, *_where(ctx))
    return typed(values, make) if dtype is None and hasattr(values, "dtype") else make()


def _real(dtype):
    float32_only(dtype, "MXNet", float32)


def ones(shape, dtype=None, ctx=None):
    _real(dtype)
    return _headway.full(shape, 1.0, *_where(ctx))


def zeros(shape, dtype=None, ctx=None):
    _real(dtype)
    return _headway.full(shape, 0.0, *_where(ctx))


def full(shape, fill_value, dtype=None, ctx=None):
    _real(dtype)
    return _headway.full(shape, fill_value, *_where(ctx))


globals().update(of_one())
dot = matmul = product


def sum(a, axis=None, keepdims=False):
    return a.sum(axis, keepdims)


def mean(a, axis=None, keepdims=False):
    return a.mean(axis, keepdims)


def stack(arrays):
    """Stacks arrays along a new first axis."""
    arrays = list(arrays)
    if not arrays:
        raise ValueError("need at least one array to stack")
    return stacked(arrays, ndarray)


class random(metaclass=Namespace):
    """mxnet.np.random"""

    _dialect, _full_name = "MXNet", "mxnet.np.random"

    @staticmethod
    def normal(loc=0.0, scale=1.0, size=(), dtype=None, ctx=None):
        _real(dtype)
        return _headway.normal(size, loc, scale, *_where(ctx))

    @staticmethod
    def uniform(low=0.0, high=1.0, size=(), dtype=None, ctx=None):
        _real(dtype)
        return _headway.uniform(size, low, high, *_where(ctx))

    @staticmethod
    def seed(seed):
        """Seeds the random numbers: equal seeds give equal values. The run's --seed also has an influence."""
        _headway.start_random(seed)


def __getattr__(name):
    raise AttributeError("Headway's MXNet dialect has no mxnet.np.%s" % name)
