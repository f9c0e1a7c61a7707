"""Hostile programs, and the verdict, exit status and words that each must get.

A program runs after START, which issues three ops. Report, trace and figure must be there for each, unless `outputs` is
False. `complete` programs have status 0, all others 1, unless `status` says otherwise.
"""

import dataclasses

START = """
import os, sys, signal, ctypes, threading, time
import headway as hw
x = hw.ones(8)
x = x + 1
x = x * 2
hw.waitall()
"""


@dataclasses.dataclass
class Hostile:
    name: str
    text: str
    verdict: str
    words: str = ""  # on stderr and in the report's sentence
    status: int = -1
    out: str = ""  # on stdout
    presses: int = 0  # of Ctrl-C, once the program has printed "ready"
    options: tuple = ()
    start: bool = True  # runs after START
    limit_bytes: int = 0  # of the address space
    ops: int = 3  # at least
    outputs: bool = True

    def expected_status(self):
        return self.status if self.status >= 0 else 0 if self.verdict == "complete" else 1


READY = "print('ready', flush=True)\n"

# How a process can be ended by a signal. SIGINT is a stop, as Ctrl-C is.
FATAL = ["HUP", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "ALRM", "TERM", "STKFLT",
         "XCPU", "VTALRM", "PROF", "POLL", "PWR", "SYS", "RTMIN"]

PROGRAMS = [
    Hostile("signal-" + name, "os.kill(os.getpid(), signal.SIG%s)\ntime.sleep(9)\n" % name, "crashed", "ended by signal")
    for name in FATAL if name not in ("STKFLT",)
] + [
    # Ends of the process.
    Hostile("os-exit-0", "os._exit(0)", "crashed", "process ended with status 0 before the program did"),
    Hostile("os-exit-7", "os._exit(7)", "crashed", "process ended with status 7 before the program did"),
    Hostile("os-exit-2", "os._exit(2)", "crashed", "process ended with status 2 before the program did"),
    Hostile("os-exit-130", "os._exit(130)", "crashed", "process ended with status 130 before the program did"),
    Hostile("os-exit-in-a-thread", "threading.Thread(target=os._exit, args=(4,)).start()\ntime.sleep(9)", "crashed",
            "status 4"),
    Hostile("c-exit", "ctypes.CDLL(None).exit(5)", "crashed", "status 5"),
    Hostile("c-quick-exit", "ctypes.CDLL(None).quick_exit(6)", "crashed", "status 6"),
    Hostile("abort", "os.abort()", "crashed", "signal 6 (Aborted)"),
    Hostile("null-pointer", "ctypes.string_at(0)", "crashed", "signal 11 (Segmentation fault)"),
    Hostile("null-pointer-in-a-thread", "threading.Thread(target=ctypes.string_at, args=(0,)).start()\ntime.sleep(9)",
            "crashed", "signal 11"),
    Hostile("write-to-code", "ctypes.memset(ctypes.CDLL(None).puts, 0, 64)", "crashed", "signal 11"),
    Hostile("stack-overflow-in-c",
            "F = ctypes.CFUNCTYPE(ctypes.c_int)\nsys.setrecursionlimit(10**9)\n"
            "def f(): return g()\ng = F(f)\ng()", "crashed", "signal 11"),
    Hostile("stack-overflow-in-python", "sys.setrecursionlimit(10**9)\nclass A:\n    def __getattr__(self, n):\n"
            "        return getattr(self, n + 'a'[:0])\nrepr_ = None\ndef f(n): return sorted([0], key=lambda _: f(n + 1))\nf(0)",
            "crashed", "signal 11"),
    Hostile("exec", "os.execv('/bin/true', ['true'])", "crashed", "status 0"),
    Hostile("exec-in-a-thread", "threading.Thread(target=os.execv, args=('/bin/false', ['false'])).start()\ntime.sleep(9)",
            "crashed", "status 1"),
    Hostile("cpu-limit", "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (0, 0))\nwhile True: pass", "crashed",
            "ended by signal"),
    Hostile("illegal-instruction", "m = __import__('mmap').mmap(-1, 4096, prot=7)\nm.write(b'\\x0f\\x0b')\n"
            "ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()", "crashed", "signal 4"),
    # Descriptors, folders, limits.
    Hostile("closes-everything", "os.closerange(3, 1000)", "complete"),
    Hostile("closes-everything-and-exits", "os.closerange(0, 1000)\nos._exit(3)", "crashed", "status 3"),
    Hostile("closes-output-and-raises", "os.closerange(1, 1000)\n1 / 0", "failed"),
    Hostile("changes-folder", "os.chdir('/')", "complete"),
    Hostile("changes-folder-and-dies", "os.chdir('/tmp')\nos._exit(1)", "crashed", "status 1"),
    Hostile("leaves-a-removed-folder", "os.mkdir('gone')\nos.chdir('gone')\nos.rmdir('../gone')\nos._exit(1)", "crashed",
            "status 1"),
    Hostile("no-descriptors", "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\nos._exit(1)",
            "crashed", "status 1"),
    Hostile("no-file-size", "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))", "complete"),
    Hostile("no-processes", "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (0, 0))", "complete"),
    Hostile("no-memory", "import resource\nresource.setrlimit(resource.RLIMIT_AS, (10**8, 10**8))\nb = bytearray(10**9)",
            "failed", "MemoryError"),
    Hostile("memory-error", "b = bytearray(1 << 60)", "failed", "MemoryError"),
    Hostile("umask", "os.umask(0o777)", "complete"),
    Hostile("nice", "os.nice(5)", "complete"),
    Hostile("removes-its-folder", "import shutil\nshutil.rmtree(sys.path[1], ignore_errors=True)", "complete"),
    Hostile("removes-its-file", "os.remove(sys.path[1] + '/program.py')", "complete"),
    # The recording's memory and descriptor.
    Hostile("no-recording-descriptor",
            "print(sum('memfd:headway' in os.readlink('/proc/self/fd/' + n) for n in os.listdir('/proc/self/fd')\n"
            "          if os.path.islink('/proc/self/fd/' + n)))", "complete", out="0\n"),
    Hostile("garbage-in-the-recording",
            "at = next(l for l in open('/proc/self/maps') if 'memfd:headway' in l)\n"
            "ctypes.memset(int(at.split('-')[0], 16), 0x5a, 64)\nos._exit(0)", "damaged",
            "wrote into the recording's memory", outputs=False),
    Hostile("pauses-itself",
            "at = next(l for l in open('/proc/self/maps') if 'memfd:headway' in l)\n"
            "ctypes.c_uint32.from_address(int(at.split('-')[0], 16) + 132).value = 1\nend = time.monotonic() + 20\n"
            "while time.monotonic() < end: time.sleep(0.1)", "failed", "--time-limit",
            options=("--time-limit", "1")),
    Hostile("a-limit-after-the-end", "threading.Thread(target=time.sleep, args=(30,)).start()", "complete", "", 1,
            options=("--time-limit", "1")),
    Hostile("garbage-in-a-chunk",
            "at = next(l for l in open('/proc/self/maps') if 'memfd:headway' in l)\n"
            "ctypes.memset(int(at.split('-')[0], 16) + (2 << 20), 0xcc, 64)", "damaged",
            "wrote into the recording's memory", outputs=False),
    Hostile("lost-records-written",
            "at = next(l for l in open('/proc/self/maps') if 'memfd:headway' in l)\n"
            "ctypes.c_uint64.from_address(int(at.split('-')[0], 16) + 24).value = 99\nos._exit(0)", "damaged",
            "wrote into the recording's memory", outputs=False),
    # Exceptions.
    Hostile("exception", "raise ValueError('x')", "failed", "ValueError: x, at program.py:"),
    Hostile("division", "1 / 0", "failed", "ZeroDivisionError"),
    Hostile("nul-in-an-exception", "raise ValueError('a\\0b')", "failed", "a\\0b"),
    Hostile("surrogate-in-an-exception", "raise ValueError('a\\ud800b')", "failed", "ValueError"),
    Hostile("exception-without-words", "class E(Exception):\n    def __str__(self): raise E\nraise E", "failed", "E"),
    Hostile("exception-that-exits", "class E(Exception):\n    def __str__(self): os._exit(9)\nraise E", "crashed",
            "status 9"),
    Hostile("base-exception", "class E(BaseException): pass\nraise E('base')", "failed", "E: base"),
    Hostile("generator-exit", "raise GeneratorExit", "failed", "GeneratorExit"),
    Hostile("stop-iteration", "raise StopIteration(7)", "failed", "StopIteration"),
    Hostile("keyboard-interrupt", "raise KeyboardInterrupt", "failed", "KeyboardInterrupt, at program.py:"),
    Hostile("interrupts-its-main-thread",
            "import _thread\nthreading.Timer(0.2, _thread.interrupt_main).start()\n"
            "try:\n    time.sleep(9)\nexcept KeyboardInterrupt: print('too long')", "complete", out="too long\n"),
    Hostile("empty-first-line", "raise ImportError('\\n\\nIMPORTANT: read this')", "failed", "ImportError: IMPORTANT: read"),
    Hostile("signals-to-its-parent",
            "try:\n    os.kill(os.getppid(), signal.SIGTERM)\n    os.kill(os.getppid(), signal.SIGINT)\n"
            "except PermissionError: pass", "complete"),
    Hostile("exception-group-of-causes", "try:\n    1 / 0\nexcept Exception as e:\n    raise ValueError('y') from e",
            "failed", "ValueError: y"),
    Hostile("long-name-of-an-exception", "raise type('E' * 10**5, (Exception,), {})('x')", "failed", "EEEE"),
    Hostile("exception-that-hides-its-name",
            "class M(type):\n    def __getattribute__(c, n): raise ValueError(n)\n"
            "class A(Exception, metaclass=M): pass\nraise A()", "failed", "Failed after issuing 3 ops: A, at program.py:"),
    Hostile("long-exception", "raise ValueError('z' * 10**6)", "failed", "zzz"),
    Hostile("lines-in-an-exception", "raise ValueError('one\\ntwo\\rthree')", "failed", "ValueError: one"),
    Hostile("deep-recursion", "def f(): return f()\nf()", "failed", "RecursionError"),
    Hostile("exit-3", "sys.exit(3)", "failed", "status 3"),
    Hostile("exit-0", "sys.exit(0)", "complete"),
    Hostile("exit-with-words", "sys.exit('bye')", "failed", "bye"),
    Hostile("syntax-error", "x = (\n", "failed", "program.py:", ops=0),
    Hostile("nul-in-the-source", "x = 1 \0\n", "failed", "null byte", ops=0),
    Hostile("nested-too-deeply", "x = " + "(" * 100000 + ")" * 100000, "failed", "nested", ops=0),
    # Tracing and hooks.
    Hostile("trace-that-raises", "def t(*a): raise RuntimeError('traced')\nsys.settrace(t)\ndef f(): pass\nf()", "failed",
            "RuntimeError: traced"),
    Hostile("trace-left-on", "def t(*a): raise RuntimeError('traced')\nsys.settrace(t)", "complete"),
    Hostile("profile-left-on", "def t(*a): raise RuntimeError('profiled')\nsys.setprofile(t)", "failed", "profiled"),
    Hostile("excepthook", "sys.excepthook = lambda *a: os._exit(8)\n1 / 0", "failed", "ZeroDivisionError"),
    Hostile("displayhook", "sys.displayhook = None", "complete"),
    Hostile("no-modules", "sys.modules.clear()", "complete"),
    Hostile("no-path", "sys.path[:] = []\nsys.meta_path[:] = []\n1 / 0", "failed", "ZeroDivisionError"),
    Hostile("no-builtins", "import builtins\nbuiltins.__dict__.clear()", "failed", ""),
    # Threads and exit handlers.
    Hostile("thread-at-exit", "def f():\n    time.sleep(0.3)\n    print('thread done', flush=True)\n"
            "threading.Thread(target=f).start()", "complete", out="thread done\n"),
    Hostile("daemon-at-exit", "threading.Thread(target=time.sleep, args=(99,), daemon=True).start()", "complete"),
    Hostile("pool-at-exit", "from concurrent.futures import ThreadPoolExecutor\n"
            "p = ThreadPoolExecutor(2)\np.submit(time.sleep, 0.2)\np.submit(print, 'pooled', flush=True)", "complete",
            out="pooled\n"),
    Hostile("exit-handler", "import atexit\natexit.register(lambda: print('at exit', float(x.sum())))", "complete",
            out="at exit 32.0\n"),
    Hostile("exit-handler-that-raises", "import atexit\natexit.register(lambda: 1 / 0)", "complete"),
    Hostile("exit-handler-that-exits", "import atexit\natexit.register(os._exit, 5)", "complete", status=1),
    Hostile("exit-handler-that-crashes", "import atexit\natexit.register(ctypes.string_at, 0)", "complete", status=1),
    Hostile("exit-handler-after-an-exception", "import atexit\natexit.register(print, 'cleaned')\n1 / 0", "failed",
            out="cleaned\n"),
    Hostile("endless-thread", READY + "def f():\n    while True: time.sleep(0.05)\nthreading.Thread(target=f).start()",
            "complete", presses=1, out="ready\n"),
    Hostile("exception-in-a-thread", "t = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()", "complete"),
    Hostile("ops-in-a-thread", "t = threading.Thread(target=lambda: x + 1)\nt.start()\nt.join()", "complete"),
    # Child processes.
    Hostile("child-left", "os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '98')", "complete"),
    Hostile("daemon-process", "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(97)\n    os._exit(0)\n"
            "os.wait()\n", "complete"),
    Hostile("small-fork-bomb", "for i in range(5):\n    os.fork() or time.sleep(0.01)\nos._exit(0)", "crashed", "status 0"),
    Hostile("fork-and-die", "if os.fork() == 0: time.sleep(96)\nos.kill(os.getpid(), 9)", "crashed", "signal 9"),
    Hostile("status-of-a-forked-process", "for end in (lambda: sys.exit(3), lambda: 1 / 0, lambda: None):\n"
            "    if os.fork() == 0:\n        end()\n        sys.exit()\n    print(os.waitstatus_to_exitcode(os.wait()[1]))",
            "complete", out="3\n1\n0\n"),
    Hostile("multiprocessing", "import multiprocessing as m\np = m.get_context('fork').Process(target=len, args=('ab',))\n"
            "p.start()\np.join()", "complete"),
    # Output.
    Hostile("huge-print", "print('p' * 5_000_000)", "complete", out=None),
    Hostile("endless-output", READY + "while True: print('o' * 1000)", "stopped", "Stopped after", presses=1, out=None),
    Hostile("binary-output", "os.write(1, bytes(range(256)))", "complete", out=None),
    Hostile("derives-from-the-type-of-stdout", "class T(type(sys.stdout.buffer.raw)): pass\nsys.stdout.flush()\n"
            "T(1, 'wb', closefd=False).write(b'derived\\n')", "complete", out="derived\n"),
    Hostile("closed-output", "sys.stdout.close()\nsys.stderr.close()\n1 / 0", "failed", "ZeroDivisionError"),
    # Ctrl-C.
    Hostile("reads-after-a-stop", "y = hw.ones(2) * 21\ny.wait_to_read()\n" + READY +
            "try:\n    while True: time.sleep(0.01)\nexcept BaseException: pass\nz = y * 2\nprint(z)",
            "stopped", "Stopped after", presses=1, out="ready\n"),
    Hostile("reads-after-a-stop-simulated", "y = hw.ones(2) * 21\ny.wait_to_read()\n" + READY +
            "try:\n    while True: time.sleep(0.01)\nexcept BaseException: pass\nz = y * 2\nprint(z)",
            "stopped", "Stopped after", presses=1, out="ready\n", options=("--device", "simulated")),
    # The value is that of the last op issued, or there is none.
    Hostile("ops-queued-at-a-stop", "y, n = hw.ones(1), 0\n" + READY +
            "try:\n    while True:\n        y = y + 1\n        n += 1\n"
            "finally:\n    value = y.item()\n    if value not in (n + 1, n + 2): print('wrong:', value, n)",
            "stopped", "Stopped after", presses=1, out="ready\n"),
    Hostile("endless-loop", READY + "while True: pass", "stopped", "Stopped after", presses=1, out="ready\n"),
    Hostile("endless-ops", READY + "while True: x = x + 1", "stopped", "Stopped after", presses=1, out="ready\n"),
    Hostile("ignores-signals", "for s in range(1, 32):\n    if s not in (9, 19): signal.signal(s, signal.SIG_IGN)\n" + READY +
            "__import__('re').match('(a+)+b', 'a' * 60)", "stopped", "killed", presses=2,
            out="ready\n"),
    Hostile("sleeps-in-c", READY + "ctypes.CDLL(None).sleep(60)", "stopped", "Stopped after", presses=1, out="ready\n"),
    Hostile("sleeps", READY + "time.sleep(60)", "stopped", "Stopped after", presses=1, out="ready\n"),
    Hostile("waits-for-an-event", READY + "threading.Event().wait()", "stopped", "Stopped after", presses=1, out="ready\n"),
    Hostile("waits-for-a-process", "import subprocess\n" + READY + "subprocess.run(['sleep', '60'])", "stopped",
            "Stopped after", presses=1, out="ready\n"),
    Hostile("reads-an-empty-pipe", "ends = os.pipe()\n" + READY + "os.read(ends[0], 1)", "stopped", "Stopped after",
            presses=1, out="ready\n"),
    Hostile("sleeps-and-cleans-up", "try:\n    " + READY + "    time.sleep(60)\nfinally:\n    time.sleep(0.3)\n"
            "    print('cleaned', flush=True)", "stopped", "Stopped after", presses=1, out="ready\ncleaned\n"),
    Hostile("sleeps-with-every-signal-ignored", "for s in range(1, 32):\n    if s not in (9, 19): signal.signal(s, signal.SIG_IGN)\n" +
            READY + "while True: time.sleep(0.01)", "stopped", "Stopped after", presses=1, out="ready\n"),
    Hostile("sleeps-in-an-exit-handler", "import atexit\natexit.register(time.sleep, 60)\n" + READY, "complete", presses=1,
            out="ready\n"),
    Hostile("built-in-exit-handler-that-raises", "import atexit\natexit.register(int, 'x')", "complete",
            "invalid literal for int()"),
    Hostile("stuck-with-a-process-of-its-own", "if os.fork() == 0:\n    os.setsid()\n    time.sleep(95)\n" + READY +
            "__import__('re').match('(a+)+b', 'a' * 60)", "stopped", "killed", presses=2, out="ready\n"),
    Hostile("exit-handler-that-ends-the-process", "import atexit\natexit.register(os._exit, 7)", "complete",
            "Complete: 3 ops; after the program's end its process ended with status 7.", status=1),
    Hostile("holds-the-interpreter", READY + "__import__('re').match('(a+)+b', 'a' * 60)", "stopped", "killed", presses=2,
            out="ready\n"),
    Hostile("interrupts-itself", "os.kill(os.getpid(), signal.SIGINT)\nwhile True: pass", "stopped", "Stopped after"),
    Hostile("stops-itself", READY + "os.kill(os.getpid(), signal.SIGSTOP)", "stopped", "killed", presses=2, out="ready\n"),
    # The recording's size.
    Hostile("overflow", "for i in range(300000): x = x + 1", "overflowed", "the recording was full", status=4,
            options=("--trace-limit", "16M")),
    Hostile("device-memory", "y = hw.ones(2000, 2000)", "failed", "", options=("--budget", "1M")),
]
