"""The real PyTorch, with a run's lanes as its CUDA device.

install() makes `import torch` find PyTorch if it is installed and libheadway_torch.so is built; otherwise Headway's
dialect stays. After the import the module is loaded, and the parts of torch.cuda that a PyTorch without CUDA lacks are
replaced. docs/pytorch.md says what is asynchronous and what waits.
"""

import os
import sys

import _headway
import headway_torch_cuda
import headway_torch_early
import headway_torch_scopes
import headway_torch_sharing

MODULE = "libheadway_torch.so"
HERE = os.path.dirname(os.path.abspath(__file__))


def module_path():
    """The module's file; None if it is not built."""
    path = os.path.join(os.path.dirname(os.readlink("/proc/self/exe")), MODULE)
    return path if os.path.exists(path) else None


def install():
    if os.environ.get("HEADWAY_TORCH") != "dialect" and module_path():
        sys.meta_path.insert(0, Finder())


def name_of(torch):
    return "PyTorch " + torch.__version__.partition("+")[0]


def finish():
    """Call at the end of the program: records what is known only then."""
    if Finder.torch is not None:
        _headway.torch_is(name_of(Finder.torch), *Finder.torch.ops.headway.cpu_ops())


class Finder:
    """Finds PyTorch instead of the dialect of the same name, which is earlier in sys.path."""

    torch = None  # the module, once it is imported

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        import importlib.machinery

        elsewhere = [p for p in sys.path if os.path.abspath(p or ".") != HERE]
        spec = importlib.machinery.PathFinder.find_spec("torch", elsewhere)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            _headway.open_torch(module_path())
            set_up(module)
            Finder.torch = module
            _headway.torch_is(name_of(module))
            module.ops.headway.count_cpu_ops()  # the program's own, from here on

        spec.loader.exec_module = exec_module
        return spec


def set_up(torch):
    ops = torch.ops.headway
    name_blockers(torch, ops)
    headway_torch_early.install(torch, ops)
    replace_random(torch, ops, replace_cuda(torch, ops))
    replace_storages(torch, ops)
    headway_torch_scopes.install(torch)
    headway_torch_sharing.install(torch)


# --- waits ---

# The methods of tensors that wait, with the names that their waits get.
BLOCKERS = {
    "item": "item", "tolist": "tolist", "cpu": "cpu", "to": "to()", "cuda": "cuda", "__bool__": "bool",
    "__float__": "float", "__int__": "int", "__index__": "int", "__repr__": "print", "__format__": "format",
    "__str__": "print", "equal": "equal", "allclose": "allclose", "__array__": "numpy", "copy_": "copy",
}


def name_blockers(torch, ops):
    """The waits inside these methods are named after the outermost of them."""
    import threading

    inside = threading.local()

    def named(real, name):
        def call(self, *args, **options):
            if getattr(inside, "name", None) is not None:
                return real(self, *args, **options)
            inside.name = name
            ops.blocker(name)
            try:
                return real(self, *args, **options)
            finally:
                inside.name = None
                ops.blocker("")

        call.__name__ = getattr(real, "__name__", name)
        call.__doc__ = real.__doc__
        return call

    for method, name in BLOCKERS.items():
        real = getattr(torch.Tensor, method, None)
        if real is not None:
            setattr(torch.Tensor, method, named(real, name))


# --- torch.cuda ---


def replace_cuda(torch, ops):
    cuda = torch.cuda
    kind = _headway.device()[0]
    gpus = ops.gpus()
    title = "Headway's simulated GPU" if kind == "simulated" else "PyTorch's CUDA device, executed on CPU lanes"

    def checked(device):
        """The number of a GPU of the run, for every way to name it."""
        if device is None:
            return ops.current_gpu()
        named = None if isinstance(device, int) else torch.device(device)
        if named is not None and named.type != "cuda":
            raise ValueError("Expected a cuda device, but got: %s" % named)
        index = device if named is None else named.index
        if index is None or index == -1:
            return ops.current_gpu()
        if not 0 <= index < gpus:
            raise AssertionError("Invalid device id: " + ops.no_gpu(index))
        return index

    class Moment:
        """A point in a stream: after the ops that have been issued to it."""

        def __init__(self, stream):
            self.handle = ops.stream_point(stream)

        def __del__(self):
            ops.release_point(self.handle)

    class Event:
        """A point in a stream. With enable_timing=True it is an op that does nothing; its end is the event's time on
        the run's clock."""

        def __init__(self, enable_timing=False, blocking=False, interprocess=False):
            self.timed = enable_timing
            self.op = self.moment = self.gpu = None

        device = property(lambda self: None if self.gpu is None else torch.device("cuda", self.gpu))

        def record(self, stream=None):
            number = number_of(stream)
            gpu = ops.gpu_of_stream(number)
            if self.gpu not in (None, gpu):
                raise RuntimeError("Event device %d does not match recording stream's device %d." % (self.gpu, gpu))
            self.gpu = gpu
            self.op = ops.record_event(number) if self.timed else None
            self.moment = Moment(number)

        def synchronize(self):
            if self.moment is not None:
                ops.wait_for_point(self.moment.handle, "Event.synchronize")

        def wait(self, stream=None):
            if self.moment is not None:
                ops.stream_wait(number_of(stream), self.moment.handle)

        def query(self):
            return self.moment is None or ops.point_reached(self.moment.handle)

        def elapsed_time(self, other):
            if not (self.timed and other.timed):
                raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
            if self.op is None or other.op is None:
                raise RuntimeError("Both events must be recorded before calculating elapsed time.")
            if self.gpu != other.gpu:
                raise RuntimeError("CUDA error: invalid resource handle (the events are of two GPUs)")
            if not (self.query() and other.query()):
                raise RuntimeError("CUDA error: device not ready")
            return (ops.event_ns(*other.op) - ops.event_ns(*self.op)) / 1e6

    def number_of(stream):
        return ops.current_stream(ops.current_gpu()) if stream is None else stream.stream_id

    class Stream:
        """A lane of the run. Ops of several streams run in any order that the program allows."""

        def __init__(self, device=None, priority=0, **options):
            self.stream_id = ops.open_stream(checked(device))
            self.priority = priority
            self.made = True

        def __del__(self):
            if getattr(self, "made", False):
                ops.close_stream(self.stream_id)

        device = property(lambda self: torch.device("cuda", self.device_index))
        device_index = property(lambda self: ops.gpu_of_stream(self.stream_id))
        cuda_stream = property(lambda self: self.stream_id - ops.default_stream(self.device_index))

        def __eq__(self, other):
            return isinstance(other, Stream) and self.stream_id == other.stream_id

        def __hash__(self):
            return hash(self.stream_id)

        def __repr__(self):
            return "<torch.cuda.Stream device=%s cuda_stream=%#x>" % (self.device, self.cuda_stream)

        def synchronize(self):
            now = Moment(self.stream_id)
            ops.wait_for_point(now.handle, "Stream.synchronize")

        def query(self):
            now = Moment(self.stream_id)
            return ops.point_reached(now.handle)

        def record_event(self, event=None):
            event = event or Event()
            event.record(self)
            return event

        def wait_event(self, event):
            event.wait(self)

        def wait_stream(self, stream):
            now = Moment(stream.stream_id)
            ops.stream_wait(self.stream_id, now.handle)

    def known(number):
        """The stream of this number, for a program that asks for it."""
        stream = Stream.__new__(Stream)
        stream.stream_id, stream.priority = number, 0
        return stream

    def set_stream(stream):
        """Also makes its GPU the current one."""
        if stream is not None:
            ops.set_current_gpu(stream.device_index)
            ops.set_current_stream(stream.stream_id)

    class stream:
        def __init__(self, stream):
            self.stream = stream

        def __enter__(self):
            self.gpu = ops.current_gpu()
            if self.stream is not None:
                self.before = ops.current_stream(self.stream.device_index)
                set_stream(self.stream)
            return self

        def __exit__(self, *problem):
            if self.stream is not None:
                ops.set_current_stream(self.before)
            ops.set_current_gpu(self.gpu)
            return False

    torch.Tensor.record_stream = lambda self, stream: ops.record_stream(self, stream.stream_id)

    class device:
        def __init__(self, device):
            self.idx = checked(device)

        def __enter__(self):
            self.before = ops.current_gpu()
            ops.set_current_gpu(self.idx)
            return self

        def __exit__(self, *problem):
            ops.set_current_gpu(self.before)
            return False

    class device_of(device):
        def __init__(self, tensor):
            super().__init__(tensor.device if tensor.is_cuda else None)

    class Properties:
        def __init__(self, number):
            self.name, self.capability = title, (0, 0)
            self.major, self.minor = self.capability
            self.total_memory = ops.memory(number)[3]
            self.multi_processor_count = ops.lanes(number)

        def __repr__(self):
            return "_CudaDeviceProperties(name='%s', total_memory=%dMB)" % (self.name, self.total_memory >> 20)

    def get_device_properties(device=None):
        return Properties(checked(device))

    def synchronize(device=None):
        """Also accepts the CPU if its lanes stand in for a GPU: programs that run on both pass their device."""
        stands_in = kind == "cpu" and device is not None and torch.device(device).type == "cpu"
        ops.synchronize(0 if stands_in else checked(device), "torch.cuda.synchronize")

    process = os.getpid()

    def before_fork():
        if os.getpid() == process:
            ops.wait_before_fork()  # a lane in PyTorch may hold a lock that the child would wait for

    os.register_at_fork(before=before_fork)

    def nothing(*args, **options):
        return None

    for own in (Event, Stream, stream, device, device_of):
        own.__module__, own.__qualname__ = "torch.cuda", own.__name__
    cuda.streams.Stream, cuda.streams.Event = Stream, Event
    cuda._lazy_init = nothing
    cuda._initialized = True
    cuda.init = nothing
    cuda._lazy_call = lambda call, **options: call()
    cuda._is_in_bad_fork = lambda: False
    cuda.is_available = cuda.is_initialized = lambda: True
    cuda.device_count = lambda: gpus
    cuda.current_device = ops.current_gpu
    cuda.set_device = lambda device: ops.set_current_gpu(checked(device))
    cuda.get_device_properties = get_device_properties
    cuda.get_device_name = lambda device=None: get_device_properties(device).name
    cuda.get_device_capability = lambda device=None: get_device_properties(device).capability
    cuda.synchronize = synchronize
    cuda.Event, cuda.Stream, cuda.stream, cuda.device, cuda.device_of = Event, Stream, stream, device, device_of
    cuda.current_stream = lambda device=None: known(ops.current_stream(checked(device)))
    cuda.default_stream = lambda device=None: known(ops.default_stream(checked(device)))
    cuda.set_stream = set_stream
    cuda.is_bf16_supported = lambda: True
    headway_torch_cuda.install(torch, ops, checked)
    return checked


# --- random numbers ---


def replace_random(torch, ops, checked):
    """`checked`: the number of a GPU of the run."""
    cuda = torch.cuda
    seeds = {}  # of each GPU

    def seed_gpus(seed, gpus):
        for number in gpus:
            seeds[number] = int(seed) & 0x7FFFFFFFFFFFFFFF
            ops.seed(number, seeds[number])

    def manual_seed(seed):
        seed_gpus(seed, [ops.current_gpu()])

    def manual_seed_all(seed):
        seed_gpus(seed, range(ops.gpus()))

    def new_seed():
        import secrets

        return secrets.randbits(62)

    def get_rng_state(device="cuda"):
        return ops.generator_state(checked(device))

    def set_rng_state(state, device="cuda"):
        ops.set_generator_state(checked(device), state)

    def set_rng_state_all(states):
        for number, state in enumerate(states):
            set_rng_state(state, number)

    make_generators(torch, ops, checked)
    seed = _headway.seed() or 67280421310721  # without --seed PyTorch's own, c10::default_rng_seed_val
    manual_seed_all(seed)
    if _headway.virtual_time():  # where equal runs give equal reports
        torch.default_generator.manual_seed(seed + 1)  # other numbers than the GPU's
    for where in (cuda, cuda.random):
        where.initial_seed = lambda: seeds[ops.current_gpu()]
        where.manual_seed, where.manual_seed_all = manual_seed, manual_seed_all
        where.seed, where.seed_all = lambda: manual_seed(new_seed()), lambda: manual_seed_all(new_seed())
        where.get_rng_state = get_rng_state
        where.get_rng_state_all = lambda: [get_rng_state(number) for number in range(ops.gpus())]
        where.set_rng_state, where.set_rng_state_all = set_rng_state, set_rng_state_all


def make_generators(torch, ops, checked):
    """torch.Generator(device="cuda") is a CPU generator under another name, because the lanes run CPU kernels."""
    real = torch.Generator

    class Kind(type(real)):
        def __instancecheck__(self, other):
            return isinstance(other, real)

    class Generator(real, metaclass=Kind):
        def __new__(cls, device="cpu"):
            on_gpu = torch.device(device).type == "cuda"
            made = real.__new__(cls, "cpu" if on_gpu else device)
            made.own_device = torch.device("cuda", checked(device)) if on_gpu else None
            return made

        def __init__(self, device="cpu"):
            pass

        device = property(lambda self: self.own_device or real.device.__get__(self))

    def waiting(name):  # for the ops that take numbers from it
        def call(self, *arguments):
            if self.own_device is not None:
                ops.block("Generator." + name)
            return getattr(real, name)(self, *arguments)

        call.__name__ = name
        return call

    for name in ("manual_seed", "seed", "get_state", "set_state"):
        setattr(Generator, name, waiting(name))
    Generator.__module__ = "torch"
    torch.Generator = Generator


# --- storages: torch.save, torch.load, pickle ---


def replace_storages(torch, ops):
    """PyTorch without CUDA cannot make a storage on the device, so these functions go through tensors."""
    untyped = torch.UntypedStorage

    def bytes_tensor(storage):
        return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)

    def cpu(self):
        if self.device.type != "cuda":
            return self
        return bytes_tensor(self).cpu().storage().untyped()

    def cuda(self, device=None, non_blocking=False, **options):
        if self.device.type == "cuda":
            return self
        where = "cuda" if device is None else torch.device("cuda", device) if isinstance(device, int) else device
        return torch.empty(0, dtype=torch.uint8).set_(self).to(where).storage().untyped()

    def clone(self):
        if self.device.type == "cuda":
            return bytes_tensor(self).clone().storage().untyped()
        return type(self)(self.nbytes()).copy_(self)

    untyped.cpu, untyped.cuda, untyped.clone = cpu, cuda, clone
    real_write, real_read = untyped._write_file, untyped._set_from_file

    def read(self, *arguments):
        if self.device.type != "cuda":
            return real_read(self, *arguments)
        values = untyped(self.nbytes())
        real_read(values, *arguments)
        bytes_tensor(self).copy_(bytes_tensor(values))
        return self

    untyped._write_file = lambda self, *arguments: real_write(cpu(self), *arguments)
    untyped._set_from_file = read
    real_typed_cpu = torch.TypedStorage.cpu
    torch.TypedStorage.cpu = lambda self: (
        torch.TypedStorage(wrap_storage=cpu(self.untyped()), dtype=self.dtype) if self.is_cuda else real_typed_cpu(self)
    )

    def load(storage, location):
        if location.startswith("cuda"):
            return cuda(storage.untyped() if hasattr(storage, "untyped") else storage, location)
        return None

    torch.serialization.register_package(15, lambda storage: None, load)
