"""The frontend of a simulated machine: its clock, and the simulated cost of print and NumPy.

Time is virtual: it advances with the lines of the program, with issues and waits, and with the work counted here,
never by itself. So the same run takes the same time on every machine. docs/profiles.md has the rules.
"""

import _thread
import builtins
import sys
import time

import _headway
from headway_imports import after_import

# The simulated machine's date at time 0: 14 November 2023, 22:13:20 UTC.
EPOCH_NS = 1_700_000_000 * 10**9
# Modules that wait for real events with a timeout: they use the real clock.
WAITERS = {"_pytest", "asyncio", "concurrent", "multiprocessing", "queue", "selectors", "socket", "subprocess", "threading"}
CLOCKS = {"time": EPOCH_NS, "perf_counter": 0, "monotonic": 0, "process_time": 0, "thread_time": 0}
_frontend = 0


def install():
    """Installs the hooks; call before the program's first line, in virtual time only."""
    global _frontend
    _frontend = _thread.get_ident()
    costs = _headway.host_costs()
    for name, begin_ns in CLOCKS.items():
        setattr(time, name, _clock(getattr(time, name), begin_ns, 1e-9))
        setattr(time, name + "_ns", _clock(getattr(time, name + "_ns"), begin_ns, 0))
    time.sleep = _sleep(time.sleep)
    builtins.print = _print(builtins.print, costs["print_ns"])
    after_import("numpy", lambda module: _take_over_numpy(module, costs))
    after_import("random", _seed_random)


# Generators begin with the run's seed: programs that do not seed them do the same in each run, too. Without the names
# asked for, the module is a file of the program.
def _take_over_numpy(module, costs):
    if hasattr(module, "ndarray"):
        module.random.seed(_headway.seed() % 2**32)
        NumPyWork(module, costs).count()


def _seed_random(module):
    if hasattr(module, "SystemRandom"):
        module.seed(_headway.seed())


def _is_real(frame):
    return _thread.get_ident() != _frontend or frame.f_globals.get("__name__", "").partition(".")[0] in WAITERS


def _named_as(real, mine):
    mine.__name__ = mine.__qualname__ = real.__name__
    mine.__doc__ = real.__doc__
    return mine


def _clock(real, begin_ns, scale):
    def read():
        if _is_real(sys._getframe(1)):
            return real()
        ns = _headway.clock_ns() + begin_ns
        return ns * scale if scale else ns

    return _named_as(real, read)


def _sleep(real):
    def sleep(seconds):
        if _is_real(sys._getframe(1)):
            return real(seconds)
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        _headway.spend(float(seconds) * 1e9, "sleep")

    return _named_as(real, sleep)


def _print(real, ns):
    def print(*values, **options):
        real(*values, **options)
        if _thread.get_ident() == _frontend:
            _headway.spend(ns, "print")

    return _named_as(real, print)


# Kinds of arithmetic by function. All other functions cost only the bytes that they move.
PRODUCTS = {"dot", "matmul", "inner", "vdot"}
CONTRACTIONS = {"tensordot", "einsum"}
FACTORISATIONS = {"inv": 2, "solve": 1, "det": 1, "slogdet": 1, "cholesky": 1, "lstsq": 4, "qr": 4, "pinv": 20,
                  "svd": 20, "eig": 20, "eigh": 10, "eigvals": 10, "eigvalsh": 5}
METHODS = """all any argmax argmin argpartition argsort astype byteswap choose clip compress conj copy cumprod cumsum
    diagonal dot fill max mean min nonzero partition prod put repeat round searchsorted sort std sum take tobytes tofile
    tolist trace var""".split()


class NumPyWork:
    """Wraps NumPy's functions so that each call advances virtual time when it returns. Nested calls count as part of
    the outer one."""

    def __init__(self, numpy, costs):
        self.numpy = numpy
        self.costs = costs
        self.ndarray = numpy.ndarray
        self.busy = False

    def count(self):
        numpy = self.numpy
        for name in METHODS:
            self.on_type(self.ndarray, name)
        _headway.count_operators(self.ndarray, self.after_operator)
        random = numpy.random
        for kind in (random.RandomState, random.Generator):
            for name in dir(kind):
                if not name.startswith("_") and callable(getattr(kind, name)) and name not in ("spawn", "seed"):
                    self.on_type(kind, name, draws=True)
        self.module(numpy)
        self.module(random, draws=True)
        for name in ("linalg", "fft"):
            self.module(getattr(numpy, name))

    def on_type(self, kind, name, draws=False):
        real = getattr(kind, name, None)
        if real is not None:
            try:
                _headway.set_on_type(kind, name, self.counted(real, name, draws))
            except (TypeError, NotImplementedError):  # an unknown version of NumPy: not counted
                pass

    def module(self, module, draws=False):
        for name, real in list(vars(module).items()):
            if name.startswith("_") or isinstance(real, type) or not callable(real):
                continue
            if isinstance(real, self.numpy.ufunc):
                setattr(module, name, Ufunc(real, self))
            else:
                setattr(module, name, self.counted(real, name, draws))

    def counted(self, real, name, draws=False):
        def call(*args, **options):
            if self.busy or _thread.get_ident() != _frontend:
                return real(*args, **options)
            self.busy = True
            try:
                result = real(*args, **options)
            finally:
                self.busy = False
            if result is not NotImplemented:
                _headway.spend(self.ns(name, draws, args, options, result), "NumPy")
            return result

        try:
            call.__wrapped__ = real
            return _named_as(real, call)
        except (AttributeError, TypeError):
            return call

    def after_operator(self, name, result, *operands):
        if self.busy or _thread.get_ident() != _frontend:
            return
        if isinstance(result, self.ndarray) or any(isinstance(o, self.ndarray) for o in operands):
            _headway.spend(self.ns(name, False, operands, {}, result), "NumPy")

    def arrays(self, values):
        for value in values:
            if isinstance(value, self.ndarray):
                yield value
            elif isinstance(value, (tuple, list)) and len(value) < 1000:
                for part in value:
                    if isinstance(part, self.ndarray):
                        yield part

    def ns(self, name, draws, args, options, result):
        """Cost of one call: its overhead plus the longest of its memory traffic, arithmetic and random numbers."""
        costs = self.costs
        results = [r for r in self.arrays((result,))]
        sources = [a for a in self.arrays(args)] + [a for a in self.arrays(options.values())]
        is_view = bool(results) and all(r.base is not None for r in results)
        moved = 0 if is_view else sum(a.nbytes for a in sources) + sum(r.nbytes for r in results)
        drawn = sum(r.size for r in results) or 1
        size = results[0].size if results else 1
        flops = 0
        if name in PRODUCTS and sources and sources[0].ndim:
            flops = 2 * size * sources[0].shape[-1]
        elif name in CONTRACTIONS and len(sources) == 2:
            flops = 2 * (float(sources[0].size) * sources[1].size * size) ** 0.5
        elif name in FACTORISATIONS and sources and sources[0].ndim > 1:
            flops = FACTORISATIONS[name] * sources[0].size * sources[0].shape[-1]

        def over(amount, rate):
            return amount * 1e9 / costs[rate] if costs[rate] else 0

        return costs["call_ns"] + max(over(moved, "bytes_per_s"), over(flops, "flops_per_s"),
                                      over(drawn, "random_per_s") if draws else 0)


class Ufunc:
    """A ufunc whose calls are counted; everything else is passed through."""

    def __init__(self, ufunc, work):
        self.ufunc = ufunc
        self.work = work
        self.call = work.counted(ufunc, ufunc.__name__)

    def __call__(self, *args, **options):
        return self.call(*args, **options)

    def __getattr__(self, name):
        value = getattr(self.ufunc, name)
        if name in ("accumulate", "at", "outer", "reduce", "reduceat"):
            return self.work.counted(value, name)
        return value

    def __repr__(self):
        return repr(self.ufunc)

    # As with any function, copies are the function itself.
    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _same, (self.ufunc,)


def _same(value):
    return value
