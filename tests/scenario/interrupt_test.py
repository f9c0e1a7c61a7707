"""Ctrl-C: the first stops the run and its outputs are still written; the second ends at once."""

import json
import os
import signal
import subprocess
import time
import unittest

from scenario import RUNNER, Scenario, main, settings

# Long enough to be interrupted on any machine; no test waits for its end.
LONG = ["train", *settings(batches=100000, batch_size=256, hidden=1024)]


class Interrupt(Scenario):
    def start(self, *arguments, group=False):
        child = subprocess.Popen([RUNNER, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=group)
        self.addCleanup(self.finish, child, group)
        return child

    @staticmethod
    def finish(child, group):
        if child.poll() is None:
            if group:
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.kill()
        child.wait()
        child.stdout.close()
        child.stderr.close()

    @staticmethod
    def wait_for_output(child):
        """Waits for the program's first line of output, so that it is running."""
        return child.stdout.readline()

    def test_the_first_stops_the_run_and_writes_the_report(self):
        child = self.start("run", *LONG, "--report", "r.json", "--trace", "t.json.gz")
        self.wait_for_output(child)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
        self.assertEqual(child.returncode, 1, err)
        self.assertIn(b"Stopped after", err)
        report = json.loads((self.folder / "r.json").read_text())
        self.assertIn("stopped", report["error"]["message"])
        self.assertEqual(report["error"]["file"], "train.cpp")
        self.assertGreater(report["ops"], 0)
        self.assertTrue((self.folder / "t.json.gz").exists())
        self.assertEqual(sorted(os.listdir(self.folder)), ["r.json", "t.json.gz"])

    def test_a_program_that_cannot_stop_is_killed_a_second_after_sigterm(self):
        (self.folder / "p.py").write_text("import re\nprint('begun', flush=True)\nre.match('(a+)+b', 'a' * 60)\n")
        for number in (signal.SIGTERM, signal.SIGHUP):
            child = self.start("run", "p.py", "--report", "r.json", "--replace")
            self.wait_for_output(child)
            time.sleep(0.5)  # until it is within the call that cannot be stopped
            child.send_signal(number)
            out, err = child.communicate(timeout=30)
            self.assertEqual(child.returncode, 1, err)
            self.assertIn(b"stopping; a program that does not end within a second is killed", err)
            said = "Stopped: the program did not end when it was asked to and was killed."
            self.assertIn(said.encode(), err)
            self.assertEqual(json.loads((self.folder / "r.json").read_text())["end"]["sentence"], said)

    def test_a_failure_that_no_wait_has_reported_is_named(self):
        (self.folder / "p.py").write_text(
            "from mxnet import np\nx = np.ones((64, 64))\nmade = [x + i for i in range(100)]\nprint('begun')\n"
            "while True:\n    pass\n")
        child = self.start("run", "p.py", "--budget", "1M", "--report", "r.json")
        self.wait_for_output(child)
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        err = child.communicate(timeout=120)[1]
        self.assertIn(b"Stopped after issuing 101 ops", err)
        self.assertIn(b"before that, without a wait that reports it: out of memory: add", err)
        # The budget has room for 64 tensors of 16 KiB; the other ops got no memory.
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["live_bytes_peak"], 1 << 20)

    def test_a_failure_is_reported_before_the_queue_is_done(self):
        (self.folder / "p.py").write_text("import headway as hw\nx = hw.ones(500, 500)\nfor i in range(1000):\n    y = x @ x\n"
                                          "raise ValueError('no such thing')\n")
        child = self.start("run", "p.py", "--device", "cpu", "--budget", "none", "--report", "r.json")
        said = []
        for line in child.stderr:
            said.append(line)
            if b"is still being executed" in line:
                break
        self.assertIn(b"headway: the program has failed after issuing 1,001 ops; what it has issued is still being executed "
                      b"(Ctrl-C drops it)\n", said)
        self.assertIn(b"ValueError: no such thing\n", said)
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGINT)
        err = child.communicate(timeout=120)[1]
        self.assertIn(b"Failed after issuing 1,001 ops: ValueError: no such thing, at p.py:5.", err)
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["end"]["verdict"], "failed")

    def test_a_failure_whose_ops_are_done_says_nothing_of_them(self):
        (self.folder / "p.py").write_text("import atexit, time\nimport headway as hw\n"
                                          "atexit.register(lambda: time.sleep(1))\nhw.ones(5, 5).numpy()\n"
                                          "raise ValueError('no such thing')\n")
        ran = self.headway("run", "p.py", "--device", "cpu")
        self.assertEqual(ran.status, 1, ran)
        self.assertNotIn("is still being executed", ran.err)

    def test_the_programs_own_handlers_run_to_their_end(self):
        # The stop comes while ops are issued without another line in between; the handlers have many lines.
        (self.folder / "p.py").write_text(
            "import collections, itertools, operator\nfrom mxnet import np\nx = np.zeros(4)\nprint('begun')\ntry:\n"
            "    collections.deque(map(operator.add, itertools.repeat(x), itertools.repeat(1)), 0)\n"
            "finally:\n    print('first')\n    total = 0\n    for i in range(1000):\n        total += i\n    print(total)\n")
        child = self.start("run", "p.py")
        self.assertEqual(child.stdout.readline(), b"begun\n")
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
        self.assertIn(b"Stopped after", err)
        self.assertEqual(out, b"first\n499500\n")

    def test_a_run_far_ahead_stops_as_well(self):
        # Without a barrier the frontend is soon in the last wait, with everything queued.
        child = self.start("run", "matmul", *settings(reps=1000, size=2000), "--budget", "none", "--report", "r.json")
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=120)
        self.assertEqual(child.returncode, 1)
        report = json.loads((self.folder / "r.json").read_text())
        self.assertIn("stopped", report["error"]["message"])

    def test_the_second_ends_at_once(self):
        # Stops the run in the middle of one long op.
        child = self.start("run", "matmul", *settings(reps=1, size=8000), "--report", "r.json")
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
        self.assertIn(child.returncode, (130, 1))
        if child.returncode == 130:
            self.assertEqual(os.listdir(self.folder), [])

    def test_a_comparison_stops_too(self):
        child = self.start("compare", *LONG[:1], "--a", " ".join(LONG[1:]), "--b", "--set batches=1", "--report",
                           "r.json", group=True)
        self.wait_for_output(child)
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=120)
        self.assertEqual(child.returncode, 1, err)
        self.assertIn(b"nothing to compare", err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_comparison_forwards_its_signal_to_the_run(self):
        child = self.start("compare", *LONG[:1], "--a", " ".join(LONG[1:]), "--b", "--set batches=1")
        self.wait_for_output(child)
        child.send_signal(signal.SIGTERM)
        out, err = child.communicate(timeout=30)
        self.assertEqual(child.returncode, 1, err)
        self.assertIn(b"nothing to compare", err)

    def test_a_loop_on_one_line_stops(self):
        (self.folder / "loop.py").write_text("while True: pass\n")
        child = self.start("run", "loop.py")
        time.sleep(1.5)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
        self.assertEqual(child.returncode, 1, err)
        self.assertIn(b"Stopped", err)

    def test_kill_leaves_nothing_half_written(self):
        child = self.start("run", *LONG, "--report", "r.json")
        self.wait_for_output(child)
        child.kill()
        child.communicate(timeout=60)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    main()
