"""The real PyTorch, with a run's lanes as its CUDA device.

install() makes `import torch` find PyTorch if it is installed and libheadway_torch.so is built; otherwise Headway's
dialect stays. After the import the module is loaded, and the parts of torch.cuda that a PyTorch without CUDA lacks are
replaced. docs/pytorch.md says what is asynchronous and what waits.
"""

import os
import sys

import _headway
import headway_torch_cuda
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

    torch = None  # once it is imported

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
    replace_cuda(torch, ops)
    replace_random(torch, ops)
    replace_storages(torch, ops)
    mark_minibatches(torch)
    headway_torch_sharing.install(torch)


# --- minibatches ---


def mark_minibatches(torch):
    """An optimizer's step ends a minibatch, as in the dialect: the barrier policy acts there."""
    import functools
    import threading

    process, thread = os.getpid(), threading.get_ident()
    inside = []  # the step that is running; a class's step may call that of its base
    real_hook = torch.optim.Optimizer._hook_for_profile

    def mark(what):
        if os.getpid() == process and threading.get_ident() == thread:
            _headway.mark(what)

    def marked(step):
        @functools.wraps(step)
        def call(*arguments, **options):
            if inside:
                return step(*arguments, **options)
            inside.append(True)
            try:
                result = step(*arguments, **options)
            finally:
                inside.pop()
            mark("minibatch_end")
            mark("minibatch_begin")
            return result

        call.marks_minibatches = True
        return call

    def hook(self):  # called by each optimizer's constructor
        real_hook(self)
        own = type(self)
        if not getattr(own.step, "marks_minibatches", False):
            own.step = marked(own.step)
        mark("minibatch_begin")

    torch.optim.Optimizer._hook_for_profile = hook


# --- waits ---

# The methods of tensors that wait, with the names that their waits get.
BLOCKERS = {
    "item": "item", "tolist": "tolist", "cpu": "cpu", "to": "to", "cuda": "cuda", "__bool__": "bool",
    "__float__": "float", "__int__": "int", "__index__": "int", "__repr__": "print", "__format__": "print",
    "__str__": "print", "__array__": "numpy", "copy_": "copy",
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
    kind, name, lanes = _headway.device()
    title = "Headway's simulated GPU" if kind == "simulated" else "PyTorch's CUDA device, executed on CPU lanes"

    def checked(device):
        """0, the index of the run's GPU, for every way to name it."""
        if device is None:
            return 0
        named = None if isinstance(device, int) else torch.device(device)
        if named is not None and named.type != "cuda":
            raise ValueError("Expected a cuda device, but got: %s" % named)
        index = device if named is None else named.index or 0
        if index not in (0, -1):
            raise AssertionError("Invalid device id: a run has one GPU, cuda:0")
        return 0

    class Moment:
        """What had been issued to a stream."""

        def __init__(self, stream):
            self.handle = ops.stream_point(stream)

        def __del__(self):
            ops.release_point(self.handle)

    class Event:
        """A moment in a stream. With enable_timing=True it is an op that does nothing; its end is the event's time on
        the run's clock."""

        def __init__(self, enable_timing=False, blocking=False, interprocess=False):
            self.timed = enable_timing
            self.op = self.moment = None

        def record(self, stream=None):
            before, number = ops.current_stream(), number_of(stream)
            ops.set_current_stream(number)
            try:
                self.op = ops.record_event() if self.timed else None
                self.moment = Moment(number)
            finally:
                ops.set_current_stream(before)

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
            if not (self.query() and other.query()):
                raise RuntimeError("CUDA error: device not ready")
            return (ops.event_ns(*other.op) - ops.event_ns(*self.op)) / 1e6

    default = ops.default_stream()

    def number_of(stream):
        return ops.current_stream() if stream is None else stream.stream_id

    class Stream:
        """A lane of the run. Ops of several streams run in any order that the program allows."""

        def __init__(self, device=None, priority=0, **options):
            checked(device)
            self.stream_id = ops.open_stream()
            self.priority = priority
            self.made = True

        def __del__(self):
            if getattr(self, "made", False):
                ops.close_stream(self.stream_id)

        device = property(lambda self: torch.device("cuda", 0))
        device_index = property(lambda self: 0)
        cuda_stream = property(lambda self: self.stream_id - default)

        def __eq__(self, other):
            return isinstance(other, Stream) and self.stream_id == other.stream_id

        def __hash__(self):
            return hash(self.stream_id)

        def __repr__(self):
            return "<torch.cuda.Stream device=cuda:0 cuda_stream=%#x>" % self.cuda_stream

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
        if stream is not None:
            ops.set_current_stream(stream.stream_id)

    class stream:
        def __init__(self, stream):
            self.stream = stream

        def __enter__(self):
            self.before = ops.current_stream()
            set_stream(self.stream)
            return self

        def __exit__(self, *problem):
            ops.set_current_stream(self.before)
            return False

    torch.Tensor.record_stream = lambda self, stream: ops.record_stream(self, stream.stream_id)

    class device:
        def __init__(self, device):
            self.idx = checked(device)

        def __enter__(self):
            return self

        def __exit__(self, *problem):
            return False

    class Properties:
        def __init__(self):
            self.name, self.major, self.minor = title, 0, 0
            self.total_memory = ops.memory()[3]
            self.multi_processor_count = lanes

        def __repr__(self):
            return "_CudaDeviceProperties(name='%s', total_memory=%dMB)" % (self.name, self.total_memory >> 20)

    def synchronize(device=None):
        """Also for the CPU where its lanes stand in for a GPU: a program that was written for both names it."""
        if kind != "cpu" or device is None or torch.device(device).type != "cpu":
            checked(device)
        ops.synchronize("torch.cuda.synchronize")

    process = os.getpid()

    def before_fork():
        if os.getpid() == process:
            ops.synchronize("fork")  # a lane in PyTorch may hold a lock that the child would wait for

    os.register_at_fork(before=before_fork)

    def nothing(*args, **options):
        return None

    for own in (Event, Stream, stream, device):
        own.__module__ = "torch.cuda"
    cuda._lazy_init = nothing
    cuda._initialized = True
    cuda.init = nothing
    cuda._lazy_call = lambda call, **options: call()
    cuda._is_in_bad_fork = lambda: False
    cuda.is_available = cuda.is_initialized = lambda: True
    cuda.device_count = lambda: 1
    cuda.current_device = lambda: 0
    cuda.set_device = lambda device: checked(device) and None
    cuda.get_device_name = lambda device=None: title if checked(device) == 0 else ""
    cuda.get_device_capability = lambda device=None: (0, checked(device))
    cuda.get_device_properties = lambda device=None: Properties() if checked(device) == 0 else None
    cuda.synchronize = synchronize
    cuda.Event, cuda.Stream, cuda.stream, cuda.device = Event, Stream, stream, device
    cuda.current_stream = lambda device=None: known(ops.current_stream())
    cuda.default_stream = lambda device=None: known(default)
    cuda.set_stream = set_stream
    cuda.is_bf16_supported = lambda: True
    headway_torch_cuda.install(torch, ops, checked)


# --- random numbers ---


def replace_random(torch, ops):
    cuda = torch.cuda

    first = _headway.seed() or 67280421310721  # c10::default_rng_seed_val

    def manual_seed(seed):
        nonlocal first
        first = int(seed) & 0x7FFFFFFFFFFFFFFF
        ops.seed(first)

    def new_seed():
        import secrets

        manual_seed(secrets.randbits(62))

    def get_rng_state(device="cuda"):
        return ops.generator_state()

    def set_rng_state(state, device="cuda"):
        ops.set_generator_state(state)

    manual_seed(first)  # --seed; without it PyTorch's own
    for where in (cuda, cuda.random):
        where.initial_seed = lambda: first
        where.manual_seed = where.manual_seed_all = manual_seed
        where.seed = where.seed_all = new_seed
        where.get_rng_state = get_rng_state
        where.get_rng_state_all = lambda: [get_rng_state()]
        where.set_rng_state = set_rng_state
        where.set_rng_state_all = lambda states: set_rng_state(states[0])


# --- storages: torch.save, torch.load, pickle ---


def replace_storages(torch, ops):
    """PyTorch without CUDA cannot make a storage there by itself: it is made by way of tensors."""
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
        return torch.empty(0, dtype=torch.uint8).set_(self).to("cuda").storage().untyped()

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
            return cuda(storage.untyped() if hasattr(storage, "untyped") else storage)
        return None

    torch.serialization.register_package(15, lambda storage: None, load)
