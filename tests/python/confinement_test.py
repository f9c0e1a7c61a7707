"""Confined programs: what is denied, each with a clear error, and what still works. Limits of a run."""

import os
import platform
import subprocess
import sys
import tempfile
import threading
import unittest

from running import RUNNER, main, run

# Numbers of system calls that Python's library does not offer.
X86 = platform.machine() == "x86_64"
CALLS = (
    {"ptrace": 101, "process_vm_readv": 310, "kcmp": 312, "mount": 165, "unshare": 272, "bpf": 321,
     "io_uring_setup": 425, "keyctl": 250, "add_key": 248, "init_module": 175, "finit_module": 313, "clone": 56,
     "clone3": 435, "perf_event_open": 298, "setpriority": 141, "chroot": 161, "shmget": 29, "mq_open": 240,
     "pidfd_getfd": 438, "fchmodat2": 452, "file_setattr": 469, "newer": 470, "x32_getpid": 0x40000027,
     "userfaultfd": 323, "kexec_file_load": 320, "settimeofday": 164, "sched_setscheduler": 144}
    if X86
    else {"ptrace": 117, "process_vm_readv": 270, "kcmp": 272, "mount": 40, "unshare": 97, "bpf": 280,
          "io_uring_setup": 425, "keyctl": 219, "add_key": 217, "init_module": 105, "finit_module": 273, "clone": 220,
          "clone3": 435, "perf_event_open": 241, "setpriority": 140, "chroot": 51, "shmget": 194, "mq_open": 180,
          "pidfd_getfd": 438, "fchmodat2": 452, "file_setattr": 469, "newer": 470,
          "userfaultfd": 282, "kexec_file_load": 294, "settimeofday": 170, "sched_setscheduler": 119}
)

# OTHER: a file outside; OWN: the program's folder; PARENT: a process that is not the program's.
BEGIN = """
import ctypes, os, signal, socket, sys
OWN, OTHER, PARENT = os.environ['OWN'], os.environ['OTHER'], int(os.environ['PARENT'])
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *values):
    ctypes.set_errno(0)
    done = libc.syscall(number, *[ctypes.c_long(v) if isinstance(v, int) else v for v in values])
    if done == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
"""
END = """
try:
    attempt()
    print('done')
except OSError as error:
    print(error.errno)
"""
EPERM, EACCES, ENOSYS = 1, 13, 38

FORBIDDEN = {
    "chmod": ("os.chmod(OTHER, 0o777)", EPERM),
    "fchmod of a file opened to read": ("os.fchmod(os.open(OTHER, os.O_RDONLY), 0o777)", EPERM),
    "chown": ("os.chown(OTHER, os.getuid(), os.getgid())", EPERM),
    "fchown": ("os.fchown(os.open(OTHER, os.O_RDONLY), os.getuid(), os.getgid())", EPERM),
    "lchown": ("os.lchown(OTHER, os.getuid(), os.getgid())", EPERM),
    "utime": ("os.utime(OTHER, (1, 1))", EPERM),
    "utime of a descriptor": ("os.utime(os.open(OTHER, os.O_RDONLY), (1, 1))", EPERM),
    "setxattr": ("os.setxattr(OTHER, 'user.x', b'1')", EPERM),
    "setxattr of a descriptor": ("os.setxattr(os.open(OTHER, os.O_RDONLY), 'user.x', b'1')", EPERM),
    "removexattr": ("os.removexattr(OTHER, 'user.x')", EPERM),
    "a device in the own folder": ("os.mknod(OWN + '/disk', 0o60600, os.makedev(7, 0))", (EPERM, EACCES)),
    "a process's environment": ("open('/proc/%d/environ' % PARENT).read()", (EPERM, EACCES)),
    "a process's map": ("open('/proc/%d/maps' % PARENT).read()", (EPERM, EACCES)),
    "kexec_file_load": ("call(N['kexec_file_load'], 0, 0, 0, 0, 0)", EPERM),
    "fchmodat2": ("call(N['fchmodat2'], -100, ctypes.c_char_p(OTHER.encode()), 0o777, 0)", EPERM),
    "file_setattr": ("call(N['file_setattr'], -100, ctypes.c_char_p(OTHER.encode()), 0, 0, 0)", EPERM),
    "attributes by ioctl": ("__import__('fcntl').ioctl(os.open(OTHER, os.O_RDONLY), 0x40086602, b'\\0' * 8)", EPERM),
    "write": ("open(OTHER, 'w')", EACCES),
    "truncate": ("os.truncate(OTHER, 0)", EACCES),
    "remove": ("os.remove(OTHER)", EACCES),
    "rename into the own folder": ("os.rename(OTHER, os.path.join(OWN, 'mine'))", (EACCES, 18)),
    "hard link into the own folder": ("os.link(OTHER, os.path.join(OWN, 'mine'))", (EACCES, 18)),
    "write through a symbolic link": (
        "os.symlink(OTHER, os.path.join(OWN, 'link')); open(os.path.join(OWN, 'link'), 'w')", EACCES),
    "ptrace": ("call(N['ptrace'], 16, PARENT, 0, 0)", EPERM),
    "process_vm_readv": ("call(N['process_vm_readv'], PARENT, 0, 0, 0, 0, 0)", EPERM),
    "memory by /proc": ("open('/proc/%d/mem' % PARENT, 'rb')", EACCES),
    "kcmp": ("call(N['kcmp'], os.getpid(), PARENT, 0, 0, 0)", EPERM),
    "pidfd_getfd": ("call(N['pidfd_getfd'], os.pidfd_open(PARENT), 1, 0)", EPERM),
    "prlimit": ("__import__('resource').prlimit(PARENT, 7, (64, 64))", EPERM),
    "setpriority": ("os.setpriority(os.PRIO_PROCESS, PARENT, 19)", EPERM),
    "setpriority of a user": ("os.setpriority(os.PRIO_USER, 0, 19)", EPERM),
    "sched_setscheduler": ("os.sched_setscheduler(PARENT, os.SCHED_IDLE, os.sched_param(0))", EPERM),
    "kill": ("os.kill(PARENT, signal.SIGTERM)", EPERM),
    "kill of all": ("os.kill(-1, 0)", EPERM),
    "signal by pidfd": ("signal.pidfd_send_signal(os.pidfd_open(PARENT), signal.SIGTERM)", EPERM),
    "display (stream)": ("socket.socket(socket.AF_UNIX).connect('/tmp/.X11-unix/X0')", EACCES),
    "D-Bus (datagram)": ("socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)", EACCES),
    "pair that could be connected": ("socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)", EACCES),
    "display (abstract)": ("socket.socket(socket.AF_UNIX).connect('\\0/tmp/.X11-unix/X0')", EACCES),
    "TCP": ("socket.create_connection(('127.0.0.1', int(os.environ['PORT'])), 1)", EACCES),
    "TCP server": ("socket.socket().bind(('127.0.0.1', 0))", EACCES),
    "UDP": ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", EACCES),
    "IPv6": ("socket.socket(socket.AF_INET6)", EACCES),
    "netlink": ("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", EACCES),
    "packets": ("socket.socket(17, socket.SOCK_RAW)", EACCES),
    "virtual machine": ("socket.socket(40, socket.SOCK_STREAM)", EACCES),
    "mount": ("call(N['mount'], 0, 0, 0, 0, 0)", EPERM),
    "unshare": ("call(N['unshare'], 0x10000000)", EPERM),
    "clone with a namespace": ("call(N['clone'], 0x10000000, 0, 0, 0, 0)", EPERM),
    "clone3": ("call(N['clone3'], 0, 0)", ENOSYS),
    "chroot": ("os.chroot(OWN)", EPERM),
    "bpf": ("call(N['bpf'], 0, 0, 0)", EPERM),
    "io_uring": ("call(N['io_uring_setup'], 1, 0)", EPERM),
    "keyctl": ("call(N['keyctl'], 0, -3, 0)", EPERM),
    "add_key": ("call(N['add_key'], 0, 0, 0, 0, 0)", EPERM),
    "init_module": ("call(N['init_module'], 0, 0, 0)", EPERM),
    "finit_module": ("call(N['finit_module'], 0, 0, 0)", EPERM),
    "perf_event_open": ("call(N['perf_event_open'], 0, 0, -1, -1, 0)", EPERM),
    "userfaultfd": ("call(N['userfaultfd'], 0)", EPERM),
    "System V memory": ("call(N['shmget'], 0, 4096, 0o1600)", EPERM),
    "POSIX queue": ("call(N['mq_open'], ctypes.c_char_p(b'x'), 0o102, 0o600, 0)", EPERM),
    "clock": ("call(N['settimeofday'], 0, 0)", EPERM),
    "terminal input": ("__import__('fcntl').ioctl(0, 0x5412, b'x')", EPERM),
    "a call that this list does not know": ("call(N['newer'], 0, 0, 0)", ENOSYS),
    "set-user-ID programs": ("sys.exit(0) if libc.prctl(39, 0, 0, 0, 0) == 0 else os.chmod('/', 0)", EPERM),
}
if X86:
    FORBIDDEN["calls with the numbers of x32"] = ("call(N['x32_getpid'])", EPERM)

ALLOWED = {
    "files": "open('a.txt', 'w').write('x'); os.rename('a.txt', 'b.txt'); os.mkdir('d'); os.remove('b.txt')",
    "shutil.copy": "import shutil; open('a', 'w').write('x'); shutil.copy('a', 'b'); print(open('b').read())",
    "shutil.copy2, copytree, move": """
import shutil
os.makedirs('t/u'); open('t/u/f', 'w').write('x')
shutil.copy2('t/u/f', 't/g'); shutil.copytree('t', 'copy'); shutil.move('copy', 'moved'); shutil.rmtree('t')
assert open('moved/u/f').read() == 'x'
""",
    "tempfile": """
import tempfile
with tempfile.TemporaryDirectory(dir='.') as folder, tempfile.NamedTemporaryFile(dir=folder) as file:
    file.write(b'x')
tempfile.TemporaryFile(dir='.').write(b'x')
""",
    "zipfile and tarfile": """
import tarfile, zipfile
open('a', 'w').write('x')
with zipfile.ZipFile('z.zip', 'w') as file: file.write('a')
zipfile.ZipFile('z.zip').extractall('z')
with tarfile.open('t.tar.gz', 'w:gz') as file: file.add('a')
tarfile.open('t.tar.gz').extractall('t')
assert open('t/a').read() == open('z/a').read() == 'x'
""",
    "pathlib": "import pathlib; p = pathlib.Path('new'); p.touch(); p.touch(); p.write_text('x'); p.unlink()",
    "sqlite3": "import sqlite3; c = sqlite3.connect('x.db'); c.execute('create table t (a)'); c.commit(); c.close()",
    "subprocess": "import subprocess; assert subprocess.check_output(['echo', 'x']) == b'x\\n'",
    "shell": "assert os.system('ls / > list.txt') == 0; assert os.popen('cat list.txt').read()",
    "ending a child": """
import subprocess
child = subprocess.Popen(['sleep', '100']); child.terminate(); assert child.wait() == -15
""",
    "threads": "import threading; t = threading.Thread(target=print); t.start(); t.join()",
    "concurrent.futures": """
from concurrent.futures import ThreadPoolExecutor
assert list(ThreadPoolExecutor(4).map(abs, [-1, -2])) == [1, 2]
""",
    "asyncio": """
import asyncio
async def run():
    child = await asyncio.create_subprocess_exec('echo', 'x', stdout=asyncio.subprocess.PIPE)
    return (await child.communicate())[0]
assert asyncio.run(run()) == b'x\\n'
""",
    "multiprocessing's pipes, queues, locks and pools": """
import multiprocessing as mp
def double(x): return 2 * x
def put(queue, lock):
    with lock: queue.put('x')
context = mp.get_context('fork')
a, b = context.Pipe()
a.send('x'); assert b.recv() == 'x'
queue, lock = context.Queue(), context.Lock()
child = context.Process(target=put, args=(queue, lock)); child.start()
assert queue.get() == 'x'; child.join()
with context.Pool(2) as pool: assert pool.map(double, [1, 2]) == [2, 4]
""",
    "signals to oneself": """
import signal
signal.signal(signal.SIGUSR1, lambda *_: print('x')); os.kill(os.getpid(), signal.SIGUSR1); signal.raise_signal(10)
""",
    "limits and priority of oneself": """
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); os.nice(1); os.sched_setaffinity(0, os.sched_getaffinity(0))
""",
    "socketpair": "import socket; a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'",
    "mmap": "import mmap; m = mmap.mmap(-1, 4096); m[0] = 1",
    "user and time": "import getpass, pwd, time; pwd.getpwuid(os.getuid()); time.localtime(); os.getloadavg()",
    "NumPy": """
try:
    import numpy as np
    np.save('x.npy', np.ones(3)); assert (np.load('x.npy', mmap_mode='r+') == 1).all(); np.ones((64, 64)) @ np.ones((64, 64))
except ImportError: pass
""",
    "tensors": "import headway as hw; x = hw.ones((4, 4)); print((x @ x + 1).sum() if hasattr(x, 'sum') else x)",
}


def supports(words):
    """Whether the explanation of this kernel's confinement has these words."""
    return words in SENTENCE


class Confined(unittest.TestCase):
    def setUp(self):
        if "no Landlock" in SENTENCE:
            self.skipTest("this kernel has no Landlock")

    def confined(self, text, *options):
        """Runs the text in a folder of its own. Returns the outcome and what the program changed elsewhere."""
        with tempfile.TemporaryDirectory() as folder:
            own, other = os.path.join(folder, "own"), os.path.join(folder, "other.txt")
            os.mkdir(own)
            with open(other, "w") as file:
                file.write("kept")
            before = os.stat(other)
            os.environ.update(OWN=own, OTHER=other, PARENT=str(VICTIM.pid), PORT=str(PORT))
            outcome = run(BEGIN + "os.chdir(OWN)\nN = %r\n" % CALLS + text, "--confine", own, *options)
            after = os.stat(other)
            same = [getattr(before, n) == getattr(after, n) for n in ("st_mode", "st_mtime_ns", "st_ctime_ns")]
            return outcome, all(same) and set(os.listdir(folder)) == {'own', 'other.txt'} and VICTIM.poll() is None

    def test_forbidden(self):
        if not supports("change modes") or supports("no seccomp"):
            self.skipTest("this kernel does not filter system calls")
        text = "results = {}\n"
        for name, (attempt, _) in FORBIDDEN.items():
            text += "def attempt():\n    %s\n" % attempt
            text += "try:\n    attempt()\n    results[%r] = 'done'\nexcept OSError as e:\n    results[%r] = e.errno\n" % (
                name, name)
        outcome, untouched = self.confined(text + "print(results)\n")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertTrue(untouched)
        results = eval(outcome.out)
        for name, (_, error) in FORBIDDEN.items():
            if "signal" in name or name.startswith("kill"):
                if not supports("cannot") or "signal other processes" not in SENTENCE.split("lets it")[0]:
                    continue
            with self.subTest(name):
                self.assertIn(results[name], error if isinstance(error, tuple) else (error,))

    def test_also_in_child_processes(self):
        text = """
import subprocess
print(subprocess.run(['chmod', '777', OTHER]).returncode != 0)
print(subprocess.run(['sh', '-c', 'kill -0 %d' % PARENT]).returncode != 0)
print(subprocess.run(['sh', '-c', ': > "$OTHER"']).returncode != 0)
"""
        outcome, untouched = self.confined(text)
        self.assertEqual(outcome.out, "True\nTrue\nTrue\n", outcome.err)
        self.assertTrue(untouched)

    def test_an_uncaught_error_names_the_reason(self):
        outcome, _ = self.confined("os.chmod(OTHER, 0o777)\n")
        self.assertEqual(outcome.status, 1)
        self.assertIn("Operation not permitted", outcome.err)

    def test_allowed(self):
        for name, text in ALLOWED.items():
            with self.subTest(name):
                outcome, untouched = self.confined(text)
                self.assertEqual(outcome.status, 0, outcome.err)
                self.assertTrue(untouched)

    def test_the_network_if_allowed(self):
        text = "socket.create_connection(('127.0.0.1', int(os.environ['PORT'])), 5)\nprint('connected')\n"
        self.assertEqual(self.confined(text, "--network")[0].out, "connected\n")
        outcome, _ = self.confined("def attempt():\n    socket.socket(socket.AF_UNIX)\n" + END, "--network")
        self.assertEqual(outcome.out, "%d\n" % EACCES)
        self.assertIn("use the network, and write only in", outcome.err)
        self.assertIn("--network needs --confine", run("x = 1\n\n", "--network").err)

    def test_the_sentence(self):
        outcome, _ = self.confined("x = 1\n")
        self.assertIn("write only in " + os.environ["OWN"], outcome.err)
        self.assertIn("It cannot ", outcome.err)


class Limits(unittest.TestCase):
    def ends(self, text, *options):
        outcome = run(text, *options)
        self.assertEqual(outcome.status, 1, outcome.err)
        return outcome

    RECORD = "import headway as hw\nx = hw.ones(2)\nx = x + 1\nprint(x, flush=True)\n"

    def test_memory(self):
        text = self.RECORD + "kept = []\nwhile True:\n    kept.append(bytearray(b'x') * 10_000_000)\n    x = x + 1\n"
        outcome = self.ends(text, "--memory-limit", "600M")
        self.assertIn("took more than 600 MiB", outcome.err)
        outcome = self.ends("kept = b'x' * 4_000_000_000\nprint(len(kept))\n", "--memory-limit", "600M")
        self.assertIn("took more than 600 MiB", outcome.err)

    def test_time(self):
        outcome = self.ends(self.RECORD + "while True:\n    x = x + 1\n", "--time-limit", "0.5")
        self.assertIn("ran for more than 0.5 s, the limit of --time-limit; what was recorded is kept", outcome.err)
        self.assertGreater(outcome.report["ops"], 2)
        for text in ("import time\ntime.sleep(100)\n", "sum(range(10**12))\n\n"):
            self.assertIn("ran for more than 0.5 s", self.ends(text, "--time-limit", "0.5").err)

    def test_processes(self):
        text = self.RECORD + (
            "import subprocess, time\nall = []\nwhile True:\n    all.append(subprocess.Popen(['sleep', '30']))\n"
            "    time.sleep(0.01)\n    x = x + 1\n"
        )
        outcome = self.ends(text, "--process-limit", "8")
        self.assertIn("started more than 8 processes", outcome.err)
        self.assertGreater(outcome.report["ops"], 2)
        self.assertEqual(subprocess.run(["pgrep", "-f", "-x", "sleep 30"]).returncode, 1)

    def test_output(self):
        outcome = self.ends(self.RECORD + "while True:\n    print('x' * 1000)\n", "--output-limit", "10M")
        self.assertIn("wrote more than 10 MiB", outcome.err)
        self.assertLess(len(outcome.out), 1_000_000_000)
        text = "file = open('/dev/null', 'w')\nwhile True:\n    file.write('x' * 100_000)\n"
        self.assertIn("wrote more than 10 MiB", self.ends(text, "--output-limit", "10M").err)

    def test_a_program_that_disables_its_own_limit_thread_is_ended_by_the_supervisor(self):
        for text in ("os.execv('/bin/sleep', ['sleep', '95'])", "os.kill(os.getpid(), signal.SIGSTOP)",
                     "resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\ntime.sleep(95)"):
            with self.subTest(text):
                outcome = self.ends(self.RECORD + "import os, resource, signal, time\n" + text + "\n", "--time-limit", "0.5")
                self.assertIn("ran for more than 0.5 s, the limit of --time-limit; what was recorded is kept", outcome.err)
                self.assertEqual(outcome.report["end"]["verdict"], "failed")
                self.assertIn("--time-limit", outcome.report["error"]["message"])
                self.assertEqual(outcome.report["ops"], 2)

    def test_orphans(self):
        begin = self.RECORD + "import os, time\ndef orphan(f):\n    if os.fork() == 0:\n        if os.fork() == 0:\n" \
            "            os.setsid()\n            f()\n        os._exit(0)\n    os.wait()\n"
        text = begin + "for i in range(9): orphan(lambda: time.sleep(94))\ntime.sleep(94)\n"
        self.assertIn("started more than 5 processes", self.ends(text, "--process-limit", "5").err)
        text = begin + "def eat():\n    kept = b'x' * 500_000_000\n    time.sleep(94)\norphan(eat)\ntime.sleep(94)\n"
        self.assertIn("took more than 200 MiB", self.ends(text, "--memory-limit", "200M").err)

    def test_after_the_end_of_the_program(self):
        for text in ("import threading, time\nthreading.Thread(target=time.sleep, args=(93,)).start()\n",
                     "import atexit, time\natexit.register(time.sleep, 93)\n"):
            with self.subTest(text):
                outcome = self.ends(self.RECORD + text, "--time-limit", "0.5")
                self.assertIn("ran for more than 0.5 s, the limit of --time-limit", outcome.err)
                self.assertEqual(outcome.report["end"]["verdict"], "complete")
                self.assertLess(outcome.report["total_ns"], 400_000_000)

    def test_limits_that_are_not_reached(self):
        limits = ["--memory-limit", "2G", "--time-limit", "60", "--process-limit", "4", "--output-limit", "1M"]
        outcome = run(self.RECORD + "import os\nos.system('true')\n", *limits)
        self.assertEqual(outcome.status, 0, outcome.err)
        for option, value in (("--time-limit", "0"), ("--memory-limit", "x"), ("--process-limit", "0")):
            self.assertEqual(run("x = 1\n\n", option, value).status, 2)


if __name__ == "__main__":
    import socket

    listener = socket.create_server(("127.0.0.1", 0))
    PORT = listener.getsockname()[1]
    VICTIM = subprocess.Popen(["sleep", "600"])
    try:
        with tempfile.TemporaryDirectory() as place:
            SENTENCE = run("x = 1\n\n", "--confine", place).err
        main()
    finally:
        VICTIM.kill()
        VICTIM.wait()
