"""The Python frontend: how programs end, and what their errors, their minibatches and their waits say then."""

import os
import tempfile
import unittest

from running import main, run


class Errors(unittest.TestCase):
    def test_an_exception_has_its_line(self):
        outcome = run("import headway\nx = 1\nx / 0\n")
        self.assertEqual(outcome.status, 1)
        self.assertEqual(outcome.report["error"]["line"], 3)
        self.assertIn("ZeroDivisionError: division by zero, at program.py:3", outcome.err)

    def test_what_a_failed_program_has_issued_is_waited_for(self):
        text = "import headway as hw\nx = hw.ones(1000, 1000)\nfor _ in range(10):\n    x = x @ x\n1 / 0\n"
        whole, failed = (run(program, "--device", "simulated").report for program in (text.replace("1 / 0\n", ""), text))
        self.assertEqual([wait["name"] for wait in failed["waits"]], ["end of the program"])
        self.assertEqual(*(wait["caused_by"] for wait in failed["waits"] + whole["waits"]))
        self.assertEqual((failed["total_ns"], failed["regime"]), (whole["total_ns"], whole["regime"]))
        self.assertEqual(failed["regime"], "execution-bound")

    def test_reporting_an_error_is_not_the_programs_time(self):
        slow = """
import sys, time, traceback
import headway as hw
hw.ones(2).wait_to_read()
plain = traceback.extract_tb
def extract_tb(*arguments):
    time.sleep(2)
    return plain(*arguments)
traceback.extract_tb = extract_tb
class Words:
    def __str__(self):
        time.sleep(2)
        return "words"
"""
        for end in ("raise ValueError('x')", "sys.exit(Words())"):
            done = run(slow + end + "\n", "--device", "cpu")
            self.assertEqual(done.status, 1, done.err)
            self.assertLess(done.report["total_ns"], 1.9e9, end)

    def test_what_is_waited_for_after_a_raise_belongs_to_the_run(self):
        gathered = "import sys\nimport headway as hw\nx = hw.ones(8, 8)\nfor _ in range(10):\n    x = x @ x\n"
        handler = "import atexit\nimport headway as hw\natexit.register(lambda: hw.ones(4).wait_to_read())\nx = hw.ones(2)\n"
        for text, options in ((gathered, ("--issue", "graph")), (gathered, ()), (handler, ())):
            plain, left = (run(text + end, "--device", "simulated", *options).report for end in ("", "sys.exit(0)\n"))
            if "sys" in text:
                self.assertLess(abs(left["total_ns"] - plain["total_ns"]), 1000, options)  # a line
            for report in (plain, left):
                self.assertLessEqual(report["blocked_ns"], report["total_ns"])
                self.assertGreaterEqual(report["frontend"]["issue_ns"], 0)

    def test_a_minibatch_that_an_exception_left_keeps_its_number(self):
        program = """
import headway as hw
for i in range(4):
    try:
        with hw.minibatch():
            x = hw.ones(2)
            if i == 1:
                raise ValueError("a bad batch")
            y = x + 1
    except ValueError:
        continue
"""
        done = run(program, "--device", "simulated", "--barrier", "minibatch")
        self.assertEqual([b["index"] for b in done.report["minibatches"]], [0, 1, 2, 3])
        self.assertEqual(len(done.waits("minibatch_barrier")), 3)

    def test_a_minibatch_left_without_an_op_is_not_shown(self):
        program = """
import headway as hw
batches = iter(range(3))
try:
    while True:
        with hw.minibatch():
            n = next(batches)
            if n == 1:
                continue
            hw.ones(2)
except StopIteration:
    pass
"""
        done = run(program, "--device", "simulated")
        self.assertEqual([b["index"] for b in done.report["minibatches"]], [0, 1, 2])
        two = """
import torch
nets = [torch.nn.Linear(2, 2) for _ in range(2)]
steps = [torch.optim.SGD(net.parameters(), lr=0.1) for net in nets]
for net, step in zip(nets, steps):
    net(torch.ones(2, 2)).sum().backward()
    step.step()
"""
        done = run(two, "--device", "simulated", HEADWAY_TORCH="dialect")
        self.assertEqual([b["index"] for b in done.report["minibatches"]], [0, 1])

    def test_shape_errors_have_their_line(self):
        outcome = run("import headway as hw\na = hw.ones(2, 3)\nb = a @ a\n")
        self.assertEqual((outcome.status, outcome.report["error"]["line"]), (1, 3))
        self.assertIn("(2, 3)", outcome.report["error"]["message"])

    def test_a_budget_ends_the_program_at_the_op_that_asked(self):
        text = "import headway as hw\nkept = []\nfor _ in range(100):\n    kept.append(hw.ones(1000, 1000))\n"
        outcome = run(text, "--budget", "64M")
        self.assertEqual((outcome.status, outcome.report["error"]["line"]), (1, 4))
        self.assertIn("out of memory", outcome.report["error"]["message"])

    def test_a_program_may_catch_an_engine_error(self):
        text = "import headway as hw\ntry:\n    hw.ones(2) + hw.ones(3)\nexcept hw.Error as e:\n    print('caught')\n"
        outcome = run(text)
        self.assertEqual((outcome.status, outcome.out), (0, "caught\n"))

    def test_a_traceback_shows_the_program_as_it_was_run(self):
        text = "import traceback\ntry:\n    1 / 0\nexcept Exception:\n    traceback.print_exc()\n"
        for change in ("", "open(__file__, 'w').close()\n"):
            self.assertIn("1 / 0", run(change + text).err)

    def test_a_traceback_shows_the_programs_other_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("helper.py", "import torch\ndef f(x):\n    return torch.ones(x / 0)\n"),
                               ("program.py", "import helper\nhelper.f(1)\n")):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            outcome = run(os.path.join(folder, "program.py"))
        self.assertRegex(outcome.err, r'program.py", line 2, in <module>\n.*\n(.*\n)?  File ".*helper.py", line 3')
        self.assertEqual(outcome.report["error"]["line"], 2)
        self.assertNotIn("File", run("import torch\ntorch.tensor([None])\n").err.partition('line 2, in')[2])


if __name__ == "__main__":
    main()
