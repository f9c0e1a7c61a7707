"""Programs that try to break the runner: each run ends with one sentence of explanation, and what was recorded
before is kept."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from running import RUNNER, main, run


class Hostile(unittest.TestCase):
    def ends(self, text, status, words, timeout=60):
        outcome = run(text, timeout=timeout)
        self.assertEqual(outcome.status, status, outcome.err)
        for word in words:
            self.assertIn(word, outcome.err)
        return outcome

    def test_endless_recursion(self):
        self.ends("def f():\n    return f()\nf()\n", 1, ["RecursionError", "program.py:2"])

    def test_syntax_error(self):
        self.ends("x = 1\ny = (\n", 1, ["SyntaxError: '(' was never closed, in “y = (”, at program.py:2"])

    def test_not_utf8(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "latin.py")
            with open(path, "wb") as file:
                file.write(b"x = 1\ny = '\xff'\n")
            outcome = run(path)
        self.assertEqual(outcome.status, 2, outcome.err)
        self.assertIn("latin.py", outcome.err)

    def test_a_missing_module(self):
        self.ends(
            "\nimport no_such_module\n",
            1,
            ["the module no_such_module is not installed, at program.py:2; programs run with /usr/bin/python3"],
        )

    def test_numpy_that_is_not_installed(self):
        said = "NumPy is not installed, at %s%d; run `apt install python3-numpy`"
        hidden = "import sys\nsys.modules['numpy'] = None\n"
        outcome = self.ends(hidden + "import numpy\n", 1, [said % ("program.py:", 3)])
        self.assertEqual(outcome.report["error"]["message"], said % ("program.py:", 3))
        # Also when a tensor is converted to an array.
        for make in ("import headway\nheadway.ones(2).numpy()\n", "from mxnet import np\nnp.ones(2).asnumpy()\n"):
            self.ends(hidden + make, 1, [said % ("program.py:", 4)])
        # In a notebook, the line is one of a code cell.
        cells = [hidden, "x = 1\nimport numpy.linalg"]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cells.ipynb")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"cells": [{"cell_type": "code", "source": cell} for cell in cells]}, file)
            outcome = run(path)
        self.assertEqual(outcome.status, 1, outcome.err)
        self.assertIn(said % ("cells.ipynb, code cell 2, line ", 2), outcome.err)

    def test_a_file_that_is_no_notebook(self):
        for broken in ('{"cells": [{"cell_type": "code", "source": 5}]}', '{"cells": 3}', '{"cells": [7]}', "[]", "{"):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "broken.ipynb")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(broken)
                outcome = run(path)
            self.assertEqual(outcome.status, 2, broken + outcome.err)
            self.assertIn("this is not a notebook", outcome.err)
            self.assertNotIn("Traceback", outcome.err)

    def test_a_nul_in_a_message(self):
        self.ends("raise ValueError('one \\0 two')\n", 1, ["one \\0 two", "program.py:1"])

    def test_a_missing_submodule(self):
        self.ends("import json.no_such_part\n", 1, ["No module named 'json.no_such_part'", "program.py:1"])

    def test_a_closed_stdout(self):
        self.ends("import sys\nprint('before')\nsys.stdout = None\nprint('after')\n", 0, [])
        self.ends("import sys\nsys.stdout.close()\nsys.stderr.close()\n1 / 0\n", 1, ["ZeroDivisionError"])

    def test_a_fork_leaves_one_run(self):
        outcome = self.ends("import os, headway as hw\nx = hw.ones(2)\nif os.fork() == 0:\n    pass\nprint(x)\n", 0, [])
        self.assertEqual(outcome.out.count("Tensor"), outcome.out.count("Tensor(["))

    def test_threads_left_running(self):
        # As in Python: the program ends when its threads have ended. That time is not measured.
        text = "import threading, time\nthreading.Thread(target=time.sleep, args=(1,)).start()\nprint('done')\n"
        begin = time.monotonic()
        outcome = self.ends(text, 0, [])
        self.assertGreater(time.monotonic() - begin, 1)
        self.assertLess(outcome.report["total_ns"], 900_000_000)

    def test_ops_from_a_second_thread_are_refused(self):
        text = """
import threading, headway as hw
x = hw.ones(2)
said = []
def other():
    try:
        x + 1
    except hw.Error as e:
        said.append(str(e))
t = threading.Thread(target=other)
t.start()
t.join()
print(said)
"""
        self.assertIn("one thread", self.ends(text, 0, []).out)

    def test_a_file_that_deletes_itself(self):
        self.ends("import os, headway as hw\nos.path.exists(__file__) and os.remove(__file__)\nprint(hw.ones(1))\n", 0, [])

    def test_system_exit(self):
        self.ends("import sys\nsys.exit(3)\n", 1, ["status 3"])
        self.ends("import sys\nsys.exit()\n", 0, [])

    def test_ctrl_c_stops_what_it_can_and_the_second_one_everything(self):
        for text in ("while True: pass\n\n", "import time\ntime.sleep(100)\n", "sum(range(10**12))\n\n"):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "endless.py")
                with open(path, "w") as file:
                    file.write("print('begun', flush=True)\n" + text)
                runner = subprocess.Popen([RUNNER, "run", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                self.assertEqual(runner.stdout.readline(), b"begun\n")
                time.sleep(0.2)
                runner.send_signal(signal.SIGINT)
                try:
                    runner.wait(3)
                except subprocess.TimeoutExpired:
                    runner.send_signal(signal.SIGINT)
                    runner.wait(10)
                runner.stdout.close()

    def test_confined_from_the_shell(self):
        text = """
import os, tempfile
open(os.path.join(os.environ['OWN'], 'mine.txt'), 'w').write('x')
try:
    open(os.path.join(os.environ['OWN'], '..', 'other.txt'), 'w')
    print('written')
except PermissionError:
    print('refused')
"""
        with tempfile.TemporaryDirectory() as folder:
            own = os.path.join(folder, "own")
            os.mkdir(own)
            os.environ["OWN"] = own
            # The report is still written, because the runner writes it, not the program.
            outcome = run(text, "--confine", own)
            if "no Landlock" in outcome.err:
                self.skipTest("this kernel has no Landlock")
            self.assertEqual((outcome.status, outcome.out), (0, "refused\n"), outcome.err)
            self.assertIsNotNone(outcome.report)
            self.assertTrue(os.path.exists(os.path.join(own, "mine.txt")))
            self.assertFalse(os.path.exists(os.path.join(folder, "other.txt")))
            self.assertEqual(run(text).out, "written\n")
        outcome = run("x = 1\n\n", "--confine", "/nonexistent/folder")
        self.assertEqual(outcome.status, 2)
        self.assertIn("is not a folder", outcome.err)

    def test_sudden_ends_are_detected(self):
        for text in (
            "import ctypes\nctypes.string_at(0)\n",
            "import os\nos.abort()\n",
        ):
            self.assertEqual(run(text).status, 1)
        self.assertEqual(run("import os\nos._exit(7)\n").status, 1)

    def test_the_command_says_how_a_run_ended(self):
        command = os.path.join(os.path.dirname(RUNNER), "headway")
        if not os.path.exists(command):
            self.skipTest("built without the window")
        for text, words in (
            ("import ctypes\nctypes.string_at(0)\n", "ended by signal 11"),
            ("import os\nos.abort()\n", "ended by signal 6"),
            ("import os\nos._exit(0)\n", "process ended with status 0 before the program did"),
            ("import os\nos.closerange(3, 100)\nos._exit(7)\n", "process ended with status 7 before the program did"),
            ("import sys\nsys.exit(3)\n", "Failed: the program ended itself with status 3"),
            ("import sys\nsys.exit('good night')\n", "good night\nheadway: Failed: the program ended itself with status 1 "),
        ):
            with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
                file.write(text)
                file.flush()
                done = subprocess.run([command, "run", file.name], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, text)
            self.assertIn(words, done.stderr)
        done = subprocess.run([command, "run", "increment", "--set", "n=5"], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_the_program_leaves_behind_ends_as_in_python(self):
        daemon = ("import threading, time\nimport headway as hw\n"
                  "def f():\n    while True:\n        time.sleep(0.001)\n"
                  "threading.Thread(target=f, daemon=True).start()\nprint(hw.ones(2))\ntime.sleep(0.05)\n")
        outcome = run(daemon)
        self.assertEqual(outcome.status, 0, outcome)
        self.assertNotIn("NameError", outcome.err)
        outcome = run("import os\nclass Temporary:\n    def __del__(self):\n        print('removed', os.sep)\n"
                      "t = Temporary()\n")
        self.assertEqual(outcome.status, 0, outcome)
        self.assertIn("removed /", outcome.out)
        self.assertNotIn("NameError", outcome.err)

    def test_a_fork_does_not_affect_the_run(self):
        outcome = run(
            "import os\nimport headway as hw\n"
            "x = hw.ones((2, 2))\n"
            "child = os.fork()\n"
            "try:\n"
            "    print(x + 1)\n"
            "except hw.Error as why:\n"
            "    print('refused:', why, flush=True)\n"
            "    os._exit(3)\n"
            "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        )
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertIn("refused: this process was forked off", outcome.out)
        self.assertIn("[2., 2.]", outcome.out)
        self.assertTrue(outcome.out.endswith("3\n"), outcome.out)
        self.assertEqual(outcome.report["ops"], 2)

    def test_text_is_utf_8_whatever_the_locale(self):
        outcome = run("print('olá 计算')\nraise ValueError('ü')\n")
        self.assertEqual(outcome.out, "olá 计算\n")
        self.assertIn("ValueError: ü", outcome.err)


if __name__ == "__main__":
    main()
