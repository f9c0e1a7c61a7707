"""Each dialect behaves as its framework: streams, memory, waits; and the simulated machine has one
clock."""

import json
import os
import tempfile
import unittest

from running import main, run

LOOP = """
import torch
device = torch.device("cuda")
a = torch.randn(1024, 512, device=device)
w = torch.randn(512, 2048, device=device)
for _ in range(30):
    x = torch.randn(1024, 512, device=device)
    y = (x @ w).relu()
    z = y * 0.5 + y
torch.cuda.synchronize()
"""
INDEPENDENT = """
import torch
a = torch.randn(800, 800, device="cuda")
b = torch.randn(800, 800, device="cuda")
c, d = a @ a, b @ b
torch.cuda.synchronize()
"""


def simulated(text, *options):
    return run(text, "--device", "simulated", *options)


class Profiles(unittest.TestCase):
    def good(self, text, *options):
        outcome = simulated(text, *options)
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def settings(self, text, *options):
        return self.good(text, *options).report["settings"]

    def test_a_program_has_the_profile_of_its_framework(self):
        for text, name, streams, policy in (
            ("import torch\ntorch.ones(2, device='cuda')\n", "PyTorch", 1, "stream"),
            ("from mxnet import np\nnp.ones(2)\n", "MXNet", 2, "lazy"),
            ("import os, tensorflow as tf\ntf.ones(2)\n", "TensorFlow", 1, "stream"),
            ("import headway as hw\nfrom d2l.mxnet import Timer\nhw.ones(2)\n", "Headway", 2, "finish"),
        ):
            with self.subTest(name):
                settings = self.settings(text)
                self.assertEqual([settings[k] for k in ("profile", "streams", "free_policy", "chosen")],
                                 [name, streams, policy, []])

    def test_a_lesson_has_the_profile_of_its_tab(self):
        for tab, name in (("", "Headway"), ("pytorch", "PyTorch"), ("mxnet", "MXNet"), ("tensorflow", "TensorFlow")):
            options = ["--tab", tab] if tab else []
            outcome = run("dependency-graph", "--device", "simulated", *options)
            self.assertEqual(outcome.report["settings"]["profile"], name)

    def test_explicit_options_override_the_profile_and_are_reported(self):
        text = "import torch\nx = torch.ones(2, device='cuda')\n"
        settings = self.settings(text, "--streams", "3", "--free-policy", "finish")
        self.assertEqual([settings[k] for k in ("profile", "streams", "free_policy", "chosen")],
                         ["PyTorch", 3, "finish", ["free_policy", "streams"]])
        self.assertEqual(self.settings(text, "--streams", "1")["chosen"], ["streams"])

    # --- PyTorch ---

    def test_pytorch_runs_independent_ops_one_after_another(self):
        one = self.good(INDEPENDENT).report
        self.assertEqual(one["backend_idle_ns"] + one["backend_busy_ns"], one["total_ns"])  # one lane
        two = self.good(INDEPENDENT, "--streams", "2").report
        self.assertLess(two["total_ns"], one["total_ns"])

    def test_pytorch_reuses_memory_without_waiting(self):
        stream = self.good(LOOP).report
        finish = self.good(LOOP, "--free-policy", "finish").report
        self.assertEqual(len(stream["waits"]), 1)
        self.assertLess(stream["live_bytes_peak"], 60e6)
        self.assertGreater(finish["live_bytes_peak"], 5 * stream["live_bytes_peak"])

    def test_pytorch_item_waits_for_all_before_it(self):
        text = ("import torch\na = torch.randn(900, 900, device='cuda')\ns = a.sum()\nb = a @ a\n"
                "%s\ntorch.cuda.synchronize()\n")
        for read, kind in (("s.item()", "item"), ("float(s)", "item"), ("s.tolist()", "numpy"), ("print(s)", "print"),
                           ("s.cpu()", "copy"), ("bool(s)", "boolean")):
            with self.subTest(read):
                outcome = self.good(text % read)
                value, everything = outcome.waits()
                self.assertEqual(value["kind"], kind)
                self.assertEqual(value["caused_by_count"], 2)  # the product, which s does not need, and the copy
                self.assertEqual(everything["caused_by_count"], 0)
                self.assertEqual(everything["ns"], 10_000)  # t3: nothing was left

    def test_pytorch_on_the_cpu_is_synchronous(self):
        outcome = run("import torch\na = torch.ones(4, 4)\nb = a @ a\nprint(b.sum().item())\n")
        self.assertEqual(outcome.out, "64.0\n")
        self.assertEqual(len(outcome.waits("op_barrier")), 3)
        self.assertEqual(outcome.report["ops"], 3)
        self.assertEqual(outcome.report["settings"]["workers"], 1)

    def test_a_non_blocking_copy_does_not_wait(self):
        outcome = self.good("import torch\na = torch.ones(400, 400, device='cuda')\n"
                            "b = a.to('cpu', non_blocking=True)\ntorch.cuda.synchronize()\n")
        self.assertEqual([w["kind"] for w in outcome.waits()], ["synchronize"])

    def test_a_non_blocking_copy_from_pageable_memory_waits(self):
        text = ("import torch\nx = torch.ones(400, 400, device='cpu')%s\ny = x%s.to('cuda', non_blocking=True)\n"
                "torch.cuda.synchronize()\nprint(x.is_pinned(), y.is_pinned())\n")
        for pin, rows, waits in (("", "", ["to() (pageable)"]), (".pin_memory()", "", []), (".pin_memory()", "[:7]", []),
                                 (".pin_memory()", ".reshape(-1)", []), (".pin_memory()", ".detach()", []),
                                 (".pin_memory()", ".pin_memory()", []), (".pin_memory() + 1", "", ["to() (pageable)"])):
            with self.subTest(pin=pin, rows=rows):
                outcome = self.good(text % (pin, rows))
                self.assertEqual([w["name"] for w in outcome.waits("copy")], waits)
                self.assertEqual(outcome.out, "%s False\n" % (not waits))

    def test_a_non_blocking_copy_to_the_cpu_is_pinned(self):
        outcome = simulated("import torch\na = torch.ones(4, 4, device='cuda')\nb = a.to('cpu', non_blocking=True)\n"
                            "print(b.is_pinned(), a.cpu().is_pinned())\na.pin_memory()\n")
        self.assertEqual(outcome.out, "True False\n")
        self.assertIn("cannot pin a tensor on cuda:0", outcome.err)

    def test_an_event_covers_what_was_issued_before_it(self):
        outcome = simulated("import torch\na = torch.randn(600, 600, device='cuda')\nnever = torch.cuda.Event()\n"
                            "done = torch.cuda.Event()\nprint(never.query())\nnever.synchronize()\nb = a @ a\n"
                            "done.record()\nc = b @ a\nprint(done.query())\ndone.synchronize()\nprint(done.query())\n"
                            "torch.cuda.synchronize()\ndone.record()\nprint(done.query())\n")
        self.assertEqual(outcome.out, "True\nFalse\nTrue\nTrue\n")
        event, rest = outcome.waits("synchronize")
        self.assertEqual((event["name"], event["caused_by"]), ("Event.synchronize", [2]))
        self.assertEqual((rest["name"], rest["caused_by"]), ("torch.cuda.synchronize", [3]))

    def test_a_program_that_asks_an_event_gets_ahead_without_a_wait(self):
        text = ("import torch\na = torch.randn(600, 600, device='%s')\nb = a @ a\ndone = torch.cuda.Event()\n"
                "done.record()\nasked = 0\nwhile not done.query():\n    asked += 1\nprint(asked)\n")
        asked = simulated(text % "cuda")
        self.assertGreater(int(asked.out), 100)
        self.assertEqual(asked.waits(), [])
        self.assertGreater(asked.report["frontend"]["work_ns"], int(asked.out) * 200)  # two lines in each round
        self.assertEqual(self.good(text % "cpu").out, "0\n")  # ops on the CPU are done when they return

    def test_missing_functions_are_named(self):
        for text, missing in (("import torch\ntorch.cuda.CUDAGraph()\n", "torch.cuda.CUDAGraph"),
                              ("import torch\ntorch.cuda.Event().ipc_handle\n", "torch.cuda.Event.ipc_handle"),
                              ("import torch\ntorch.conv2d\n", "torch.conv2d"),
                              ("import torch\ntorch.ones(2).cumsum(0)\n", "Tensor.cumsum"),
                              ("import tensorflow as tf\ntf.random.gamma\n", "tf.random.gamma"),
                              ("from mxnet import np\nnp.random.gamma\n", "mxnet.np.random.gamma")):
            outcome = run(text)
            self.assertEqual(outcome.status, 1)
            self.assertIn("dialect has no " + missing + ", at program.py:2", outcome.report["error"]["message"])

    # --- MXNet ---

    def test_mxnet_takes_memory_when_an_op_starts_and_waits_for_one_array(self):
        text = ("from mxnet import np, npx\na = np.random.normal(size=(900, 900))\ns = a.sum()\nb = np.dot(a, a)\n"
                "c = [np.ones((900, 900)) + 1 for _ in range(8)]\ns.item()\nnpx.waitall()\n")
        outcome = self.good(text)
        item, everything = outcome.waits()
        self.assertLess(item["caused_by_count"], 4)
        self.assertGreater(everything["caused_by_count"], 1)
        finish = self.good(text, "--free-policy", "finish").report
        self.assertLess(outcome.report["pending_bytes_peak"], finish["pending_bytes_peak"])

    def test_deferred_frees_do_not_block_the_program(self):
        text = "from mxnet import np, npx\nfor _ in range(200):\n    a = np.ones((300, 300))\n    b = np.dot(a, a)\nnpx.waitall()\n"
        for _ in range(5):
            self.assertEqual([w["kind"] for w in run(text, "--device", "cpu").waits()], ["waitall"])

    # --- TensorFlow ---

    def test_tensorflow_is_asynchronous_on_a_gpu_and_not_on_the_cpu(self):
        text = ("import tensorflow as tf\na = tf.ones((300, 300))\nb = tf.matmul(a, a)\n"
                "@tf.function\ndef f(a):\n    return tf.matmul(a, a) + 1.0\nc = f(b)\n"
                "tf.test.experimental.sync_devices()\n")
        gpu = self.good(text)
        self.assertEqual([w["kind"] for w in gpu.waits()], ["synchronize"])
        self.assertEqual(gpu.report["ops"], 3)
        cpu = run(text)
        self.assertEqual([w["kind"] for w in cpu.waits()], ["op_barrier"] * 3 + ["synchronize"])


class Clock(unittest.TestCase):
    """Virtual time: the frontend's own work counts, and the same run takes the same time."""

    def printed(self, text, *options):
        outcome = simulated(text, *options)
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def works(self, outcome):
        return outcome.report["recorded_work_ns"]

    def test_a_line_costs_what_the_model_says(self):
        text = "import headway as hw\nx = hw.ones(2)\nfor _ in range(1000):\n    pass\nhw.waitall()\n"
        with_lines = self.printed(text).report
        free = self.printed(text, "--costs", "line=0").report
        self.assertEqual(free["recorded_work_ns"], 0)
        self.assertGreaterEqual(with_lines["recorded_work_ns"], 2000 * 100)
        self.assertLess(with_lines["recorded_work_ns"], 2100 * 100)
        more = self.printed(text, "--costs", "line=1us").report
        self.assertEqual(more["recorded_work_ns"], 10 * with_lines["recorded_work_ns"])

    def test_numpy_takes_time_by_what_it_computes(self):
        text = ("import headway as hw\nimport numpy as np\na = np.ones((1000, 1000))\n"
                "def took(f):\n    begin = hw.clock()\n    f()\n    return round((hw.clock() - begin) * 1e6)\n"
                "print(took(lambda: np.dot(a, a)), took(lambda: a @ a), took(lambda: a.dot(a)), took(lambda: a + a), "
                "took(lambda: np.add(a, a)), took(lambda: a.sum()), took(lambda: np.random.normal(size=(1000, 1000))), "
                "took(lambda: np.random.default_rng(1).normal(size=1000000)), took(lambda: a.T), took(lambda: None))\n")
        outcome = self.printed(text, "--costs", "line=0")
        self.assertEqual(outcome.out.split(), ["40001", "40001", "40001", "2401", "2401", "801", "20001", "20002", "0", "0"])

    def test_the_chapters_first_numbers_keep_their_order(self):
        text = ("import numpy\nimport torch\nfrom d2l import torch as d2l\ndevice = d2l.try_gpu()\n"
                "a = torch.randn(size=(1000, 1000), device=device)\nb = torch.mm(a, a)\n"
                "with d2l.Benchmark('numpy'):\n    for _ in range(10):\n        a = numpy.random.normal(size=(1000, 1000))\n"
                "        b = numpy.dot(a, a)\n"
                "with d2l.Benchmark('torch'):\n    for _ in range(10):\n"
                "        a = torch.randn(size=(1000, 1000), device=device)\n        b = torch.mm(a, a)\n"
                "with d2l.Benchmark('synced'):\n    for _ in range(10):\n"
                "        a = torch.randn(size=(1000, 1000), device=device)\n        b = torch.mm(a, a)\n"
                "    torch.cuda.synchronize(device)\n")
        outcome = self.printed(text)
        numpy, torch, synced = [s["ns"] for s in outcome.report["scopes"]]
        self.assertGreater(numpy, 100 * synced)
        self.assertGreater(synced, 3 * torch)
        again = self.printed(text)
        self.assertEqual(again.out, outcome.out)
        self.assertEqual([s["ns"] for s in again.report["scopes"]], [numpy, torch, synced])

    def test_all_python_clocks_are_virtual(self):
        text = ("import time\nimport headway as hw\nfrom time import perf_counter\n"
                "names = ('time', 'perf_counter', 'monotonic', 'process_time', 'thread_time')\n"
                "before = [getattr(time, n + '_ns')() for n in names]\nfirst = perf_counter()\ntime.sleep(100)\n"
                "after = [getattr(time, n + '_ns')() for n in names]\nlast = perf_counter()\n"
                "print({round((b - a) * 1e-9, 6) for a, b in zip(before, after)}, round(last - first, 6))\n"
                "print(time.strftime('%Y', time.gmtime(time.time())))\n")
        outcome = self.printed(text, "--costs", "line=0,print=0")
        self.assertEqual(outcome.out, "{100.0} 100.0\n2023\n")
        self.assertEqual(outcome.report["recorded_work_ns"], 100 * 10**9)

    def test_the_backend_works_while_the_program_sleeps(self):
        text = ("import time\nimport headway as hw\na = hw.randn(2000, 2000)\nb = a @ a\ntime.sleep(1)\nhw.waitall()\n")
        (wait,) = self.printed(text).waits()
        self.assertEqual(wait["caused_by_count"], 0)

    def test_modules_that_wait_for_real_events_use_the_real_clock(self):
        text = ("import queue\nimport subprocess\nimport threading\n"
                "try:\n    queue.Queue().get(timeout=0.05)\nexcept queue.Empty:\n    print('empty')\n"
                "print(threading.Event().wait(0.01))\n"
                "print(subprocess.run(['echo', 'hello'], timeout=20, capture_output=True, text=True).stdout)\n")
        self.assertEqual(self.printed(text).out, "empty\nFalse\nhello\n\n")

    def test_numpys_functions_can_be_copied(self):
        outcome = simulated("import copy, pickle\nimport numpy as np\n"
                            "print(copy.deepcopy({'f': np.add})['f'](1, 2), copy.copy(np.add) is np.add)\n"
                            "print(pickle.loads(pickle.dumps(np.add))(1, 2))\n")
        self.assertEqual(outcome.out, "3 True\n3\n")

    def test_a_report_is_the_same_each_time(self):
        for text in ("small-copies", "metrics", "blockers"):
            first, second = (simulated(text).report for _ in range(2))
            self.assertEqual(json.dumps(first), json.dumps(second))


class Costs(unittest.TestCase):
    def test_the_readers_case_comes_out_exactly(self):
        for t3 in (0, 1000, 250):
            outcome = simulated("increment", "--set", "n=10", "--costs", "t1=1us,t2=0.95us,t3=%dns" % t3)
            self.assertEqual(outcome.status, 0, outcome.err)
            report = outcome.report
            self.assertEqual([report["t1_ns"], report["t2_ns"]], [1000, 950])
            self.assertEqual(report["total_ns"], 10_950 + t3)
            self.assertIn("t₁ 1 µs, t₂ 950 ns", report["device"]["name"])

    def test_a_lesson_may_bring_its_costs(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "lesson.md"), "w", encoding="utf-8") as file:
                file.write("---\nid: exact\ntitle: Exact\nprogram: increment\ndevice: simulated\n"
                           "costs: t1=1us,t2=0.95us,t3=1us\n---\nText.\n")
            self.assertEqual(run(folder, "--set", "n=10").report["total_ns"], 11_950)
            self.assertEqual(run(folder, "--set", "n=10", "--costs", "t1=2us,t2=1us,t3=0").report["total_ns"], 21_000)
            self.assertEqual(run(folder, "--set", "n=10", "--device", "cpu").status, 0)

    def test_the_trace_contains_the_cost_models(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "t.json")
            simulated("increment", "--costs", "t1=1us,t2=2us,line=7ns", "--trace", trace)
            with open(trace, encoding="utf-8") as file:
                metadata = json.load(file)["otherData"]
        models = metadata["cost_models"]
        self.assertEqual(set(models), {"device", "beside", "host", "links"})
        self.assertEqual(models["device"]["t1_ns"], 1000)
        self.assertEqual({f["base_ns"] for f in models["device"]["families"].values()}, {2000})
        self.assertEqual(models["host"]["line_ns"], 7)
        self.assertEqual((metadata["profile"], metadata["chosen"]), ("Headway", []))

    def test_invalid_costs_are_one_sentence(self):
        for costs in ("t1", "t4=1us", "t1=1", "t1=-1us", "t1=1us,t1=2us", "t1=0.5ns", "t1=1us,,t2=1us"):
            outcome = simulated("increment", "--costs", costs)
            self.assertEqual(outcome.status, 2, costs)
            self.assertEqual(outcome.err.count("\n"), 1, outcome.err)
            self.assertIn("--costs", outcome.err)
        outcome = run("increment", "--device", "cpu", "--costs", "t1=1us")
        self.assertEqual(outcome.status, 2)
        self.assertIn("--costs is for --device simulated", outcome.err)


if __name__ == "__main__":
    main()
