"""What a program writes is in its recording, at the time when it was written."""

import json
import os
import tempfile
import unittest

from running import main, run

PROGRAM = """
import sys
from mxnet import np, npx
npx.set_np()
print("begin: é", flush=True)
x = np.ones((200, 200))
for _ in range(20):
    x = np.dot(x, x) / 200
print(x[0][0])
sys.stderr.write("to stderr\\n")
sys.stdout.write("no line end")
sys.stderr.write("nor here")
"""


def written(program, *options):
    """The run, and (ts, stream, text) of its trace's output; the trace's other events."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        outcome = run(program, "--trace", path, *options)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        found = [(e["ts"], e["name"], e["args"]["text"]) for e in events if e.get("cat") == "output"]
        return outcome, found, events


class Output(unittest.TestCase):
    def test_is_recorded_whole_and_in_order(self):
        for device in ("cpu", "simulated"):
            outcome, found, events = written(PROGRAM, "--device", device)
            self.assertEqual(outcome.status, 0, outcome.err)
            self.assertEqual("".join(text for _, name, text in found if name == "stdout"), outcome.out)
            self.assertEqual("".join(text for _, name, text in found if name == "stderr"), "to stderr\nnor here")
            self.assertTrue(outcome.err.startswith("to stderr\nnor here"), outcome.err)
            self.assertEqual([ts for ts, _, _ in found], sorted(ts for ts, _, _ in found))

    def test_a_print_is_recorded_after_its_wait(self):
        for device in ("cpu", "simulated"):
            _, found, events = written(PROGRAM, "--device", device)
            wait_ends = [
                e["ts"] + e["dur"] for e in events if e.get("ph") == "X" and e.get("cat", "").startswith("wait,blocker")
            ]
            first, value = found[0], [f for f in found if f[2].startswith("1.")][0]
            self.assertLess(first[0], min(wait_ends))
            self.assertGreaterEqual(value[0], max(wait_ends))

    def test_other_threads_and_processes_are_not_recorded(self):
        outcome, found, _ = written(
            "import os, threading\n"
            "import headway\n"
            "print('frontend')\n"
            "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    print('child'); os._exit(0)\n"
            "os.waitpid(child, 0)\n"
            "print('end')\n"
        )
        self.assertEqual(outcome.out, "frontend\nthread\nchild\nend\n")
        self.assertEqual("".join(text for _, _, text in found), "frontend\nend\n")

    def test_a_forked_process_takes_no_virtual_time(self):
        program = (
            "import multiprocessing, time\n"
            "import headway\n"
            "import numpy as np\n"
            "y = headway.ones(3000, 3000)\n"
            "if IN_CHILD:\n"
            "    def work():\n"
            "        with headway.scope('of the child'):\n"
            "            print('child'); time.sleep(1.0); np.ones(10).sum()\n"
            "    process = multiprocessing.get_context('fork').Process(target=work)\n"
            "    process.start(); process.join()\n"
            "with headway.scope('of the parent'):\n"
            "    print(y.shape, float(y.sum()))\n"
        )
        scopes = []
        for in_child in (False, True):
            text = "IN_CHILD = %s\n%s" % (in_child, program)
            outcome, found, events = written(text, "--device", "simulated")
            self.assertEqual(outcome.out, ("child\n" if in_child else "") + "(3000, 3000) 9000000.0\n")
            self.assertEqual("".join(text for _, _, text in found), "(3000, 3000) 9000000.0\n")
            scopes.append([(e["name"], round(e["dur"])) for e in events if e.get("cat") == "scope"])
        self.assertEqual(len(scopes[0]), 1)
        self.assertEqual(scopes[1], scopes[0])

    def test_only_the_first_mebibyte_is_recorded(self):
        outcome, found, _ = written("import headway\nfor i in range(30000):\n    print('%05d' % i * 10)\n")
        self.assertEqual(len(outcome.out), 30000 * 51)
        recorded = "".join(text for _, _, text in found)
        self.assertEqual(recorded, outcome.out[: 1 << 20])

    def test_still_reaches_replaced_and_closed_streams(self):
        outcome, _, _ = written(
            "import contextlib, io, sys\n"
            "import headway\n"
            "text = io.StringIO()\n"
            "with contextlib.redirect_stdout(text):\n"
            "    print('hidden')\n"
            "print(repr(text.getvalue()), sys.stdout.name, sys.stdout.fileno(), sys.stdout.encoding)\n"
            "sys.stdout.buffer.write(b'bytes\\xff\\n'); sys.stdout.flush()\n"
        )
        self.assertEqual(outcome.out, "'hidden\\n' <stdout> 1 utf-8\nbytes\ufffd\n")


if __name__ == "__main__":
    main()
