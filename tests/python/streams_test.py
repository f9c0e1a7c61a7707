"""Streams that a PyTorch program makes and orders itself: what runs where, what is a race, and the orders of
`headway explore`. On the simulated device alone, because some of these programs race on purpose."""

import json
import os
import subprocess
import tempfile
import unittest

from running import RUNNER, main, run

HEAD = """import torch
x = torch.ones(64, 64, device="cuda")
y = torch.zeros(64, 64, device="cuda")
s = torch.cuda.Stream()
torch.cuda.synchronize()
"""
# Each reads in the stream s what the default stream has changed. %s: what orders them.
FORGOTTEN = HEAD.replace("64", "400") + """for _ in range(4):
    y += x @ x
%s
with torch.cuda.stream(s):
    early = y.sum()
torch.cuda.synchronize()
print("early", early.item())
"""
ORDERED = {
    "wait_stream": "s.wait_stream(torch.cuda.current_stream())",
    "wait_event": "done = torch.cuda.Event()\ndone.record()\ns.wait_event(done)",
    "event.wait": "done = torch.cuda.current_stream().record_event()\ndone.wait(s)",
    "synchronize": "torch.cuda.synchronize()",
    "stream.synchronize": "torch.cuda.current_stream().synchronize()",
    "event.synchronize": "done = torch.cuda.Event()\ndone.record()\ndone.synchronize()",
    "query": "while not torch.cuda.current_stream().query():\n    pass",
    "item": "y.sum().item()",
}


def simulated(text, *options):
    return run(text, "--device", "simulated", *options)


def explore(text, *options):
    """(status, report, stderr)"""
    with tempfile.TemporaryDirectory() as folder:
        path, report = os.path.join(folder, "program.py"), os.path.join(folder, "report.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([RUNNER, "explore", path, "--report", report, *options], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300)
        found = None
        if os.path.exists(report):
            with open(report, encoding="utf-8") as file:
                found = json.load(file)
        return done, found


class Streams(unittest.TestCase):
    def good(self, text, *options):
        outcome = simulated(text, *options)
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def test_what_nothing_orders_is_a_race_that_names_both_lines(self):
        outcome = self.good(FORGOTTEN % "pass")
        (race,) = outcome.report["races"]
        self.assertEqual((race["kind"], race["op"]["line"], race["other"]["line"]), ("read_write", 10, 7))
        self.assertEqual((race["op"]["name"], race["op"]["lane"], race["other"]["lane"]), ("sum", "Stream 1", "Stream 0"))
        self.assertEqual(race["missing"], "Stream 1 waits for Stream 0 (wait_stream, or an event)")
        self.assertNotIn("early %.1f" % (4 * 400 ** 3), outcome.out)

    def test_each_way_to_order_them_is_enough(self):
        for name, text in ORDERED.items():
            with self.subTest(name):
                outcome = self.good(FORGOTTEN % text)
                self.assertEqual(outcome.report["races"], [])
                self.assertIn("early %.1f" % (4 * 400 ** 3), outcome.out)

    def test_a_wait_for_a_stream_is_recorded_as_one(self):
        outcome = self.good(HEAD + """big = torch.randn(500, 500, device="cuda")
with torch.cuda.stream(s):
    z = x + 1
for _ in range(20):
    big = big @ big
s.synchronize()
""")
        (wait,) = [w for w in outcome.waits("synchronize") if w["name"] == "Stream.synchronize"]
        self.assertLess(wait["ns"], 200_000)  # not for the products in the default stream

    def test_memory_is_reused_in_the_stream_that_it_was_made_in(self):
        text = HEAD + """big = torch.randn(800, 800, device="cuda")
with torch.cuda.stream(s):
    for _ in range(3):
        big = big @ big
t = torch.ones(64, 64, device="cuda")
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    u = t * 2
%s
del t
v = torch.zeros(64, 64, device="cuda")
torch.cuda.synchronize()
print(u.sum().item())
"""
        outcome = self.good(text % "pass")
        kinds = [race["kind"] for race in outcome.report["races"]]
        self.assertEqual(kinds.count("reuse"), 1, outcome.report["races"])
        outcome = self.good(text % "t.record_stream(s)")
        self.assertNotIn("reuse", [race["kind"] for race in outcome.report["races"]])
        self.assertIn("8192.0", outcome.out)

    def test_events_take_times(self):
        outcome = self.good(HEAD + """begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
with torch.cuda.stream(s):
    begin.record()
    z = torch.randn(700, 700, device="cuda")
    z = z @ z
    end.record()
end.synchronize()
print("%.6f" % begin.elapsed_time(end))
try:
    torch.cuda.Event().elapsed_time(end)
except RuntimeError as problem:
    print(problem)
""")
        taken, problem = outcome.out.splitlines()
        self.assertGreater(float(taken), 0.01)
        self.assertIn("enable_timing=True", problem)

    def test_the_current_stream_is_the_one_that_the_program_says(self):
        outcome = self.good(HEAD + """cuda = torch.cuda
print(cuda.current_stream() == cuda.default_stream(), s == cuda.current_stream())
with cuda.stream(s):
    t = cuda.Stream()
    with cuda.stream(t):
        print(cuda.current_stream() == t)
    with cuda.stream(None):
        print(cuda.current_stream() == s)
print(cuda.current_stream() == cuda.default_stream())
cuda.set_stream(s)
print(cuda.current_stream() == s, cuda.current_stream())
""")
        self.assertEqual(outcome.out.splitlines(), ["True False", "True", "True", "True",
                                                    "True <torch.cuda.Stream device=cuda:0 cuda_stream=0x1>"])

    def test_a_run_has_as_many_streams_as_it_was_given(self):
        text = "import torch\nkept = [torch.cuda.Stream() for _ in range(%d)]\nprint(len(kept))\n"
        self.assertEqual(self.good(text % 3).out, "3\n")
        outcome = simulated(text % 4)
        self.assertEqual(outcome.status, 1)
        self.assertIn("this run has 4 streams, and all belong to streams of the program: run it with --streams 5 or more",
                      outcome.err)
        self.assertEqual(self.good(text % 4, "--streams", "5").out, "4\n")
        self.good("import torch\nfor _ in range(20):\n    s = torch.cuda.Stream()\n    del s\n")
        refused = simulated(text % 1, "--free-policy", "lazy")
        self.assertEqual(refused.status, 1)
        self.assertIn("choose stream or finish", refused.err)

    def test_the_same_program_races_in_the_same_way_each_time(self):
        first, second = (self.good(FORGOTTEN % "pass") for _ in range(2))
        self.assertEqual(first.report["races"], second.report["races"])
        self.assertEqual(first.out, second.out)
        self.assertEqual(first.report["total_ns"], second.report["total_ns"])


class SeveralGpus(unittest.TestCase):
    HEAD = """import torch
cuda = torch.cuda
x, y = torch.ones(500, 500, device="cuda:0"), torch.zeros(500, 500, device="cuda:1")
s, t = cuda.Stream(), cuda.Stream("cuda:1")
"""
    SYNCHRONIZE = "cuda.synchronize(0)\ncuda.synchronize(1)\n"

    def good(self, text, *options):
        outcome = simulated(text, "--gpus", "2", *options)
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def test_each_gpu_has_streams_of_its_own(self):
        outcome = self.good(self.HEAD + """
print(s, t, cuda.default_stream(1), t.device, s == t)
print(cuda.current_stream() == cuda.default_stream(0), cuda.current_stream(1) == cuda.default_stream("cuda:1"))
with cuda.stream(t):
    print(cuda.current_device(), cuda.current_stream() == t, cuda.current_stream(0) == cuda.default_stream(0))
    with cuda.stream(s):
        print(cuda.current_device(), cuda.current_stream() == s, cuda.current_stream(1) == t)
    print(cuda.current_device(), cuda.current_stream(0) == cuda.default_stream(0))
print(cuda.current_device(), cuda.current_stream(1) == cuda.default_stream(1))
cuda.set_stream(t)
print(cuda.current_device(), cuda.current_stream() == t)
""")
        self.assertEqual(outcome.out, """\
<torch.cuda.Stream device=cuda:0 cuda_stream=0x1> <torch.cuda.Stream device=cuda:1 cuda_stream=0x1> \
<torch.cuda.Stream device=cuda:1 cuda_stream=0x0> cuda:1 False
True True
1 True True
0 True True
1 True
0 True
1 True
""")

    def test_the_prediction_keeps_the_program_s_streams(self):
        text = self.HEAD + self.SYNCHRONIZE + """import headway as hw
hw.measure()
with cuda.stream(t):
    kept = [y @ y for _ in range(4)]  # independent of each other, and in one stream
kept += [y + 1, x + 1]
""" + self.SYNCHRONIZE
        report = self.good(text).report
        self.assertEqual(report["races"], [])
        self.assertEqual(report["prediction"]["predicted_ns"], report["total_ns"])

    def test_a_forgotten_wait_is_a_race_on_any_gpu(self):
        text = self.HEAD + self.SYNCHRONIZE + """y += y @ y
%s
with cuda.stream(t):
    z = y.sum()
""" + self.SYNCHRONIZE
        (race,) = self.good(text % "").report["races"]
        self.assertEqual(race["missing"], "Stream 1 of GPU 1 waits for Stream 0 of GPU 1 (wait_stream, or an event)")
        sentences = [s["text"] for s in self.good(text % "").report["explanation"] if s["kind"] == "races"]
        self.assertIn("in Stream 1 of GPU 1 reads what", sentences[0])
        for wait in ("t.wait_stream(cuda.current_stream(1))", "t.wait_stream(cuda.default_stream(1))", "cuda.synchronize(1)",
                     "done = cuda.current_stream(1).record_event()\nt.wait_event(done)"):
            self.assertEqual(self.good(text % wait).report["races"], [], wait)
        for wait in ("t.wait_stream(cuda.current_stream())", "cuda.synchronize(0)"):  # that is GPU 0
            self.assertEqual(len(self.good(text % wait).report["races"]), 1, wait)

    def test_a_copy_belongs_to_the_current_streams_of_both_gpus(self):
        text = self.HEAD + self.SYNCHRONIZE + """with cuda.stream(%s):
    x += 1
y = x.to("cuda:1")
x += 1
with cuda.stream(%s):
    z = y + 1
""" + self.SYNCHRONIZE + "print(z.mean().item())\n"
        default = ("cuda.default_stream(0)", "cuda.default_stream(1)")
        outcome = self.good(text % default)
        self.assertEqual((outcome.out, outcome.report["races"]), ("3.0\n", []))
        self.assertEqual(len(self.good(text % ("s", default[1])).report["races"]), 2)  # the copy, and what follows
        self.assertEqual(len(self.good(text % (default[0], "t")).report["races"]), 1)

    def test_a_gpu_has_as_many_as_the_run_gives_it(self):
        text = "import torch\nkept = [torch.cuda.Stream('cuda:1') for _ in range(%d)]\nprint(len(kept), torch.ones(1).sum().item())\n"
        self.assertEqual(self.good(text % 3).out, "3 1.0\n")
        refused = simulated(text % 4, "--gpus", "2")
        self.assertEqual(refused.status, 1)
        self.assertIn("GPU 1 has 4 streams, and all belong to streams of the program: run it with --streams 5", refused.err)
        eight = simulated(text % 2, "--gpus", "8")
        self.assertEqual((eight.status, eight.out), (0, "2 1.0\n"), eight.err)
        none = simulated(text.replace("cuda:1", "cuda:3") % 1, "--gpus", "2")
        self.assertIn("cuda:3", none.err)
        self.assertEqual(none.status, 1)

    def test_timed_events_of_another_gpu(self):
        outcome = self.good(self.HEAD + self.SYNCHRONIZE + """begin, end = (cuda.Event(enable_timing=True) for _ in range(2))
begin.record(t)
with cuda.stream(t):
    y @ y
end.record(t)
end.synchronize()
print(begin.elapsed_time(end) > 0.01, cuda.current_stream(1) == cuda.default_stream(1))
""")
        self.assertEqual(outcome.out, "True True\n")


class Explore(unittest.TestCase):
    RACE = HEAD + """y += x
with torch.cuda.stream(s):
    early = y.sum()
torch.cuda.synchronize()
print("early", early.item())
"""

    def test_orders_with_different_outcomes_name_the_race(self):
        done, report = explore(self.RACE, "--orders", "30")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(sum(outcome["orders"] for outcome in report["outcomes"]), 30)
        self.assertEqual({outcome["printed"] for outcome in report["outcomes"]}, {"early 0.0\n", "early 4096.0\n"})
        (race,) = report["races"]
        self.assertEqual(race["orders"], 30)
        for part in ("sum in program.py:8 in Stream 1 reads what", "program.py:6 in Stream 0 writes", "nothing orders"):
            self.assertIn(part, race["race"])
        self.assertIn(race["missing"], done.stderr)

    def test_an_order_can_be_run_again(self):
        _, report = explore(self.RACE, "--orders", "12")
        for outcome in report["outcomes"]:
            again = simulated(self.RACE, "--order", str(outcome["first"]))
            self.assertEqual(again.out, outcome["printed"])
            self.assertIn("random times", again.err)
        _, second = explore(self.RACE, "--orders", "12")
        self.assertEqual(report["outcomes"], second["outcomes"])

    def test_an_ordered_program_has_one_outcome(self):
        done, report = explore(self.RACE.replace("with torch", "s.wait_stream(torch.cuda.current_stream())\nwith torch"),
                               "--orders", "20")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([outcome["orders"] for outcome in report["outcomes"]], [20])
        self.assertEqual(report["races"], [])

    def test_a_program_without_streams_of_its_own_has_one_outcome(self):
        done, report = explore("import headway as hw\na = hw.ones(8, 8)\nb = a @ a\na += 1\nprint(b.sum().item())\n",
                               "--orders", "10", "--streams", "3")
        self.assertEqual((done.returncode, len(report["outcomes"])), (0, 1), done.stderr)

    def test_outcomes_that_do_not_depend_on_the_order_are_told(self):
        done, report = explore("import os\nprint(os.urandom(4))\n", "--orders", "3")
        self.assertEqual((done.returncode, report["repeats"], report["races"]), (1, False, []))
        self.assertIn("one order, run twice, had two outcomes: the program depends on something else", done.stderr)
        asks = HEAD + """for _ in range(8):
    y = x @ y
event = torch.cuda.Event()
event.record()
asked = 0
while not event.query():
    asked += 1
print(asked)
"""
        done, report = explore(asks, "--orders", "30")
        self.assertGreater(len(report["outcomes"]), 1)
        self.assertEqual((report["repeats"], report["races"]), (True, []))
        self.assertIn("the program asks for the time or for what is done", done.stderr)

    def test_failed_orders_are_reported(self):
        for text, words in (("import os\nos._exit(7)\n", "process ended with status 7 before the program did"),
                            ("import sys\nsys.exit(3)\n", "the program ended itself with status 3")):
            done, report = explore(text, "--orders", "2")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual([outcome["orders"] for outcome in report["outcomes"]], [2])
            self.assertIn(words, report["outcomes"][0]["error"])

    def test_a_report_is_replaced_if_orders_failed_and_that_is_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            path, report = os.path.join(folder, "program.py"), os.path.join(folder, "report.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write("import os\nos._exit(7)\n")
            for options, is_kept in (((), True), (("--replace",), False)):
                with open(report, "w", encoding="utf-8") as file:
                    file.write("earlier")
                done = subprocess.run([RUNNER, "explore", path, "--orders", "1", "--report", report, *options],
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual("(--replace replaces it)" in done.stderr, is_kept, done.stderr)
                with open(report, encoding="utf-8") as file:
                    self.assertEqual(file.read() == "earlier", is_kept)

    def test_options_without_effect_are_named(self):
        done, _ = explore("import headway as hw\nhw.ones(2, 2)\n", "--orders", "1", "--launch", "frontend")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("--launch, --copies and --products have no effect on simulated"), 1)

    def test_wrong_usage(self):
        for options, words in ((["--device", "cpu"], "explore runs on the device simulated"),
                               (["--order", "3"], "chooses the orders itself"), (["--orders", "0"], "--orders")):
            done, _ = explore(self.RACE, *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    main()
