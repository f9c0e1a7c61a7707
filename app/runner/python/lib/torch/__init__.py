"""torch → Headway's PyTorch dialect: the part of PyTorch that the chapter uses, on Headway's queue.

As in PyTorch, ops on a GPU return before they have run, in one stream, and values come back through copies in that
stream. Ops on the CPU return when they are done: on the CPU this dialect waits after each op. Gradients are recorded
for tensors that require them, and accumulate.

If a program's text names devices (device='cuda', x.cpu(), x.to(device)), tensors without a device are on the CPU, as
in PyTorch. A program that names none runs entirely on the run's device.
"""

import _headway
import headway_drive
from headway_devices import has, index_in, none_such
from headway_math import of_one, product
from headway_rows import assign, stacked
from headway_text import array_text, float32_only, from_values, nested, to_numpy, typed, values_of

_headway.torch_is("Headway's dialect")

float32 = "torch.float32"
float = "torch.float32"
_dtypes = {"real": float32, "integer": "torch.int64", "boolean": "torch.bool"}


class device:
    """The device of a tensor: 'cpu', 'cuda' or 'cuda:0'."""

    def __init__(self, type, index=None):
        text = "cuda:%d" % type if isinstance(type, int) else str(type)
        self.type = text.partition(":")[0]
        if self.type not in ("cpu", "cuda"):
            raise RuntimeError("Headway's PyTorch dialect knows the devices cpu and cuda, not %s" % text)
        self.index = index_in(text)
        if self.index is None:
            self.index = index
        elif index is not None:
            raise RuntimeError("torch.device: the index is given twice, by %s and by %s" % (text, index))
        if not has(self.index, self.type == "cpu"):
            raise RuntimeError(none_such(text if index is None else "%s:%s" % (text, index)))
        if self.type == "cuda" and self.index is None:
            self.index = cuda._current[0]

    @property
    def _number(self):
        if self.type == "cuda":
            return _headway.gpu(self.index)
        return _headway.cpu() if headway_drive.names_devices else -1

    def __enter__(self):
        self._before = _default[0]
        _default[0] = self
        return self

    def __exit__(self, *_):
        _default[0] = self._before

    def __repr__(self):
        return "device(type='%s'%s)" % (self.type, "" if self.index is None else ", index=%d" % self.index)

    def __str__(self):
        return self.type if self.index is None else "%s:%d" % (self.type, self.index)

    def __eq__(self, other):
        if not isinstance(other, device):
            return str(self) == other
        return self.type == other.type and (self.index or 0) == (other.index or 0)

    def __hash__(self):
        return hash((self.type, self.index or 0))


class Size(tuple):
    def __repr__(self):
        return "torch.Size(%s)" % list(self)

    def numel(self):
        n = 1
        for side in self:
            n *= side
        return n


_pinned = set()  # ids of buffers in pinned memory; an id is not used twice


class Tensor(_headway.Tensor):
    __slots__ = ()
    __setitem__ = assign

    def __repr__(self):
        text = "tensor(" + array_text(self, "tensor(", True)
        if self.device.type != "cpu":
            text += ", device='%s'" % self.device
        if self.tracked:
            text += ", requires_grad=True" if self.leaf else ", grad_fn=<Backward>"
        return text + ")"

    __str__ = __repr__

    def __format__(self, spec):
        return format(self.item(), spec) if spec else str(self)

    @property
    def device(self):
        return self.place or _cpu

    @property
    def is_cuda(self):
        return self.device.type == "cuda"

    @property
    def is_cpu(self):
        return self.device.type == "cpu"

    @property
    def dtype(self):
        return _dtypes[self.numbers]

    @property
    def shape(self):
        return Size(_headway.Tensor.shape.__get__(self))

    @property
    def T(self):
        return self.t()

    @property
    def requires_grad(self):
        return self.tracked

    @property
    def grad(self):
        return self.gradient

    @grad.setter
    def grad(self, value):
        if value is not None:
            raise AttributeError("Headway's PyTorch dialect sets .grad to None only")
        self.drop_gradient()

    @property
    def data(self):
        return self.detach()

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return self.ndim

    def numel(self):
        return self.shape.numel()

    def requires_grad_(self, on=True):
        if on:
            self.require_gradient(True)
        return self

    def backward(self, gradient=None, retain_graph=False):
        if gradient is None and self.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        _headway.Tensor.backward(self, gradient, bool(retain_graph))
        _after(self)

    def sum(self, dim=None, keepdim=False):
        return _headway.Tensor.sum(self, dim, keepdim)

    def mean(self, dim=None, keepdim=False):
        return _headway.Tensor.mean(self, dim, keepdim)

    def max(self, dim=None):
        if dim is not None:
            raise NotImplementedError("Headway's PyTorch dialect has max() over all elements only")
        return _headway.Tensor.max(self)

    def view(self, *shape):
        return self.reshape(*shape)

    def transpose(self, dim0=0, dim1=1):
        return _headway.Tensor.transpose(self, dim0, dim1, True)  # a view

    def t(self):
        return self.transpose(0, 1)

    def mm(self, other):
        return self @ other

    def pow(self, exponent):
        return self**exponent

    def clone(self):
        return self.copy()

    def numpy(self):
        if self.tracked:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.device.type != "cpu":
            raise TypeError(
                "can't convert %s device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
                % self.device
            )
        return to_numpy(self)

    def tolist(self):
        return nested(values_of(self, "numpy", "tolist"), tuple(self.shape))

    def cpu(self):
        return self._moved(_device("cpu"), False, "cpu")

    def cuda(self, device=None, non_blocking=False):
        return self._moved(_device("cuda" if device is None else device), non_blocking, "cuda")

    def to(self, *what, device=None, dtype=None, non_blocking=False, copy=False):
        """to(device, dtype), to(dtype) or to(tensor); non_blocking and copy may follow by position or name."""
        where, non_blocking, copy = _destination(what, device, dtype, non_blocking, copy)
        if where is None or where == self.device:
            return self.copy() if copy else self
        return self._moved(where, non_blocking, "to()")

    def _moved(self, target, non_blocking, name):
        if target == self.device:
            return self
        there = self.to_device(max(target._number, 0), target)
        # As in PyTorch, the program waits for copies unless non_blocking is set. To the GPU it waits even then if the
        # source is pageable; to the CPU a non-blocking copy goes to pinned memory.
        # The program does not wait for copies between GPUs.
        between = target.type == "cuda" and self.is_cuda
        pageable = target.type == "cuda" and not between and not self.is_pinned()
        if not between and (not non_blocking or pageable):
            there.wait_to_read(name + " (pageable)" if non_blocking else name, "copy")
        elif target.type == "cpu":
            _pinned.add(there.buffer_id)
        there.waits = target.type == "cpu"
        return there

    def __getitem__(self, key):
        rows = _headway.Tensor.__getitem__(self, key)
        if _pinned and self.is_pinned():
            _pinned.add(rows.buffer_id)  # in PyTorch they are a view
        return rows

    def is_pinned(self):
        return self.buffer_id in _pinned

    def pin_memory(self):
        """A copy in pinned memory, or this tensor if it is there already. What pinning costs is not modelled."""
        if not (headway_drive.names_devices and cuda.is_available()) or self.is_pinned():
            return self
        if self.device.type != "cpu":
            raise RuntimeError("cannot pin a tensor on %s: only tensors on the CPU can be pinned" % self.device)
        there = self.copy()
        _pinned.add(there.buffer_id)
        return there

    def record_stream(self, stream):
        """This tensor is used in that stream, too: its memory is not reused before the stream is done with it."""
        _headway.stream_record(self, stream._number)

    def add_(self, other, alpha=1):
        self += other * alpha if alpha != 1 else other
        return self

    def sub_(self, other, alpha=1):
        self -= other * alpha if alpha != 1 else other
        return self

    def mul_(self, other):
        self *= other
        return self

    def zero_(self):
        self *= 0
        return self

    def __getattr__(self, name):
        raise AttributeError("Headway's PyTorch dialect has no Tensor.%s" % name)


def _after(tensor):
    if tensor.waits:
        _headway.framework_wait(tensor.device_number)


_cpu = device("cpu")
_default = [_cpu]


def set_default_device(where):
    _default[0] = _device(where)


def get_default_device():
    return _default[0]


def _device(where):
    if where is None:
        return _default[0]
    return where if isinstance(where, device) else device(where)


def _destination(what, where, dtype, non_blocking, copy):
    """Parses the arguments of to() into (device or None, non_blocking, copy)."""
    rest = list(what)
    if rest and isinstance(rest[0], _headway.Tensor):
        if where is not None or dtype is not None:
            raise TypeError("to(): a tensor says both the device and the dtype")
        where = rest.pop(0).device
    else:
        if rest and not _is_dtype(rest[0]):
            if where is not None:
                raise TypeError("to(): the device is given twice")
            where = rest.pop(0)
        if rest and (_is_dtype(rest[0]) or rest[0] is None):
            if dtype is not None:
                raise TypeError("to(): the dtype is given twice")
            dtype = rest.pop(0)
        if dtype not in (None, float32):
            raise TypeError("Headway's tensors are of the dtype torch.float32, not %s" % (dtype,))
    if len(rest) > 2:
        raise TypeError("to() was given %d arguments too many" % (len(rest) - 2))
    non_blocking = rest[0] if rest else non_blocking
    copy = rest[1] if len(rest) > 1 else copy
    return (None if where is None else _device(where)), non_blocking, copy


def _is_dtype(value):
    return isinstance(value, str) and value.startswith("torch.")


def _size(sizes, size):
    if size is not None:
        return size
    return sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes


def _made(tensor, requires_grad):
    return tensor.requires_grad_() if requires_grad else tensor


def _full(shape, value, where, requires_grad):
    where = _device(where)
    return _made(_headway.full(shape, value, Tensor, where, where.type == "cpu", where._number), requires_grad)


def ones(*sizes, size=None, device=None, dtype=None, requires_grad=False):
    _real(dtype)
    return _full(_size(sizes, size), 1.0, device, requires_grad)


def zeros(*sizes, size=None, device=None, dtype=None, requires_grad=False):
    _real(dtype)
    return _full(_size(sizes, size), 0.0, device, requires_grad)


def full(size, fill_value, device=None, dtype=None, requires_grad=False):
    _real(dtype)
    make = lambda: _full(size, fill_value, device, requires_grad)
    return make() if dtype else typed(fill_value, make)


def randn(*sizes, size=None, device=None, dtype=None, requires_grad=False):
    _real(dtype)
    where = _device(device)
    return _made(_headway.normal(_size(sizes, size), 0.0, 1.0, Tensor, where, where.type == "cpu", where._number), requires_grad)


def normal(mean, std, size, device=None, requires_grad=False):
    where = _device(device)
    return _made(_headway.normal(size, mean, std, Tensor, where, where.type == "cpu", where._number), requires_grad)


def rand(*sizes, size=None, device=None, dtype=None, requires_grad=False):
    _real(dtype)
    where = _device(device)
    return _made(_headway.uniform(_size(sizes, size), 0.0, 1.0, Tensor, where, where.type == "cpu", where._number), requires_grad)


def tensor(values, device=None, dtype=None, requires_grad=False):
    _real(dtype)
    where = _device(device)
    make = lambda: from_values(values, Tensor, where, where.type == "cpu", where._number)
    return _made(make() if dtype else typed(values, make), requires_grad)


def from_numpy(array):
    return typed(array, lambda: from_values(array, Tensor, _cpu, True, _cpu._number))


def _real(dtype):
    float32_only(dtype, "PyTorch", float32)


globals().update(of_one())
mm = matmul = product


def relu(a):
    return a.relu()


def sum(a, dim=None, keepdim=False):
    return a.sum(dim, keepdim)


def mean(a, dim=None, keepdim=False):
    return a.mean(dim, keepdim)


def add(a, b):
    return a + b


def mul(a, b):
    return a * b


def stack(tensors):
    """Stacks tensors along a new first axis."""
    tensors = list(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty list of tensors")
    return stacked(tensors, Tensor)


def manual_seed(seed):
    """Seeds the random numbers: equal seeds give equal values. The run's --seed also has an influence."""
    _headway.start_random(seed)


class no_grad:
    def __enter__(self):
        self._before = _headway.set_recording(False)

    def __exit__(self, *args):
        _headway.set_recording(self._before)


def is_tensor(value):
    return isinstance(value, Tensor)


_headway.set_recording(True)  # PyTorch records ops on tensors that require a gradient

from torch import cuda, nn, optim  # noqa: E402


def __getattr__(name):
    raise AttributeError("Headway's PyTorch dialect has no torch.%s" % name)
