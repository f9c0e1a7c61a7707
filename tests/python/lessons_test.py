"""Every lesson runs, and shows what it claims: exactly on the simulated device, by order and facts on the CPU."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from running import RUNNER, main, run

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ROOT / "assets" / "lessons"
DEVICES = ("simulated", "cpu")

SMALL = {
    "warm-up": ["size=50"],
    "matmul": ["size=50"],
    "who-waits": ["size=50"],
    "frontends": ["size=50", "n=500"],
    "barriers": ["size=600"],
    "blockers": ["size=50"],
    "control-flow": ["size=50"],
    "small-copies": ["size=50"],
    "increment": ["n=500"],
    "streams": ["size=400"],
    "train": ["batches=5", "batch_size=16", "features=16", "hidden=16"],
    "limits": ["batches=5"],
    "loss-barrier": ["hidden=32"],
    "free-policies": ["size=50"],
    "eager-and-graph": ["size=50"],
    "exercise-overlap": ["size=50"],
    "exercise-cpu-and-gpu": ["size=50"],
    "exercise-waits": ["size=50"],
    "exercise-cpu-product": ["size=50"],
    "cpu-and-gpu": ["batches=2", "batch_size=16", "features=64", "hidden=32"],
}


def lesson(name, *options, device="simulated", **values):
    sets = {**dict(s.split("=") for s in SMALL.get(name, [])), **{k: str(v) for k, v in values.items()}}
    words = [w for k, v in sets.items() for w in ("--set", f"{k}={v}")]
    return run(name, "--device", device, *words, *options)


def compare(name, a, b):
    """The report of two runs beside each other."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run([RUNNER, "compare", name, "--a", a, "--b", b, "--report", str(report)],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(report.read_text(encoding="utf-8"))


def source(name, file):
    """The lines of a lesson's program."""
    (path,) = [p for p in LESSONS.glob("*/" + file) if f"id: {name}\n" in (p.parent / "lesson.md").read_text("utf-8")]
    return path.read_text(encoding="utf-8").splitlines()


class Lessons(unittest.TestCase):
    def good(self, outcome):
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def test_all_run_on_both_devices_and_in_every_tab(self):
        listed = json.loads(subprocess.run([RUNNER, "lessons", "--json"], capture_output=True, text=True).stdout)
        listed = listed["lessons"] if isinstance(listed, dict) else listed
        self.assertGreaterEqual(len(listed), 24)
        for entry in listed:
            for device in ("cpu", "simulated"):
                with self.subTest(lesson=entry["id"], device=device):
                    if (entry["id"], device) == ("cpu-and-gpu", "cpu"):
                        continue  # it needs both: devices_test.py
                    self.good(lesson(entry["id"], device=device))
        for tab in ("pytorch", "mxnet", "tensorflow"):
            self.good(lesson("dependency-graph", "--tab", tab))
        self.good(lesson("exercise-cpu-product", "--tab", "mxnet", device="cpu"))
        self.good(lesson("frontends", "--tab", "python", device="cpu"))

    def test_every_text_says_what_to_look_at(self):
        listed = json.loads(subprocess.run([RUNNER, "lessons", "--json"], capture_output=True, text=True).stdout)
        texts = {}
        for file in sorted(LESSONS.glob("*/lesson.md")):
            text = file.read_text(encoding="utf-8")
            texts[re.search(r"^id: (.*)$", text, re.M).group(1)] = text
        self.assertEqual(set(texts), {entry["id"] for entry in listed})
        for name, text in texts.items():
            with self.subTest(lesson=name):
                self.assertIn("**Question.**" if name.startswith("exercise-") else "**Claim.**", text)
                self.assertIn("**Look at**", text)
                self.assertLess(len(text.split("---", 2)[2].split()), 260)  # one screen

    def test_simulated_runs_are_the_same_twice(self):
        def facts():
            report = self.good(lesson("metrics")).report
            del report["machine"], report["headway"]
            return report

        self.assertEqual(facts(), facts())

    # --- not waiting ---

    def test_warm_up_is_kept_apart_and_each_product_is_waited_for(self):
        for device in DEVICES:
            outcome = self.good(lesson("warm-up", device=device))
            self.assertEqual(outcome.report["ops"], 5, device)  # of 6: the first one is warm-up
            self.assertEqual(len(outcome.waits("wait_to_read")), 5)
            self.assertEqual(len(outcome.out.splitlines()), 6)
            self.assertGreater(outcome.report["warmup_ns"], 0)

    def test_two_stopwatches_differ_by_the_wait(self):
        for device in DEVICES:
            once = self.good(lesson("matmul", device=device))
            self.assertEqual([w["kind"] for w in once.waits()], ["waitall"])
            self.assertLess(once.report["issue_ns"], once.report["total_ns"])
            each = self.good(lesson("matmul", device=device, wait="each"))
            self.assertGreaterEqual(len(each.waits()), 10)
            self.assertEqual(once.report["ops"], each.report["ops"])
        # Where the backend is the slower side, waiting each time costs the return ways, and no more.
        once = self.good(lesson("matmul", "--streams", "1", size=400)).report
        each = self.good(lesson("matmul", "--streams", "1", size=400, wait="each")).report
        self.assertLess(once["total_ns"], each["total_ns"])

    def test_only_the_third_stretch_tells_device_and_not_waiting_apart(self):
        simulated = self.good(lesson("who-waits", size=300))
        spans = {s["name"]: s["ns"] for s in simulated.report["scopes"]}
        self.assertLess(spans["queue, issued"], spans["queue, finished"])
        self.assertEqual(len(simulated.waits("waitall")), 2)
        real = self.good(lesson("who-waits", size=300, device="cpu"))
        self.assertEqual(real.report["ops"], 40)
        # NumPy's part is the frontend's own work, at its lines, and no op.
        self.assertGreater(real.report["work_ns"], 0)
        by_line = {entry["line"]: entry for entry in real.report["lines"]}
        numpy_lines = [n for n, line in enumerate(source("who-waits", "who_waits.py"), 1) if "numpy." in line]
        self.assertGreater(sum(by_line.get(n, {"work_ns": 0})["work_ns"] for n in numpy_lines), 0)
        for n in numpy_lines:
            self.assertEqual(by_line.get(n, {"ops": 0})["ops"], 0)

    # --- frontend and backend ---

    def test_both_frontends_in_one_report(self):
        report = compare("frontends", "--set size=2 --set n=3000", "--set size=2 --set n=3000 --tab python")
        self.assertEqual([report[side]["frontend"] for side in "ab"], ["C++", "Python"])
        self.assertEqual(report["a"]["ops"], report["b"]["ops"])
        self.assertGreater(min(report[side]["t1_ns"] for side in "ab"), 0)
        self.assertIn("Python", report["verdict"])
        # In virtual time a language costs nothing: what is left is the same program.
        same = compare("frontends", "--device simulated --set n=300", "--device simulated --set n=300 --tab python")
        self.assertEqual(same["a"]["total_ns"], same["b"]["total_ns"])
        self.assertEqual(same["a"]["t1_ns"], same["b"]["t1_ns"])

    def test_the_graph_lesson_issues_four_ops_before_print_waits(self):
        for tab in (None, "pytorch", "mxnet", "tensorflow"):
            outcome = self.good(lesson("dependency-graph", *(["--tab", tab] if tab else [])))
            self.assertEqual(outcome.report["ops"], 4, tab)
            self.assertIn("3.", outcome.out)
            last = outcome.waits()[-1]
            self.assertEqual(last["kind"], "print")
        outcome = self.good(lesson("dependency-graph", device="cpu"))
        (wait,) = outcome.waits()
        self.assertLessEqual(set(wait["caused_by"]), {1, 2, 3, 4})

    def test_barriers_leave_others_unfinished(self):
        outcome = self.good(lesson("barriers"))
        one = outcome.waits("wait_to_read")[0]
        everything = outcome.waits("waitall")[-1]
        self.assertEqual(len(one["caused_by"]), 1)
        self.assertGreater(len(everything["caused_by"]), 1)
        for device in DEVICES:
            outcome = self.good(lesson("barriers", device=device))
            one = outcome.waits("wait_to_read")[0]
            after = next(w for w in outcome.waits("waitall") if w["begin_ns"] > one["begin_ns"])
            # When the wait for b returned, ops that b does not need were still to do.
            self.assertGreater(after["caused_by_count"], 0, device)
            self.assertTrue(set(one["caused_by"]).isdisjoint(after["caused_by"]), device)

    def test_blockers_wait_each_in_its_own_name_and_shape_does_not(self):
        for device in DEVICES:
            kinds = [w["kind"] for w in self.good(lesson("blockers", device=device)).waits() if w["kind"] != "waitall"]
            self.assertEqual(kinds, ["print", "item", "item", "numpy"], device)

    def test_control_flow_waits_in_each_step_or_never(self):
        for device in DEVICES:
            each = self.good(lesson("control-flow", decide="each", device=device))
            never = self.good(lesson("control-flow", decide="never", device=device))
            self.assertEqual((len(each.waits("boolean")), len(never.waits("boolean"))), (12, 0))
        self.assertLess(each.report["headway_max"], never.report["headway_max"])

    def test_small_copies_empty_the_queue_each_time(self):
        for device in DEVICES:
            each = self.good(lesson("small-copies", copy="each", device=device))
            once = self.good(lesson("small-copies", copy="once", device=device))
            self.assertEqual((len(each.waits("numpy")), len(once.waits("numpy"))), (21, 1))
        each = self.good(lesson("small-copies", "--streams", "1", size=600, copy="each"))
        once = self.good(lesson("small-copies", "--streams", "1", size=600, copy="once"))
        self.assertLess(each.report["headway_max"], once.report["headway_max"])
        self.assertGreater(each.report["total_ns"], once.report["total_ns"])
        self.assertGreater(each.report["backend_idle_ns"], once.report["backend_idle_ns"])

    # --- the three stages ---

    def test_increment_waits_each_time_or_once(self):
        for device in DEVICES:
            self.assertEqual(len(self.good(lesson("increment", wait="each", device=device)).waits("wait_to_read")), 500)
            self.assertEqual(len(self.good(lesson("increment", wait="once", device=device)).waits()), 1)

    def test_three_stages_are_predicted_exactly(self):
        for wait in ("once", "each"):
            for size in (2, 60000):
                report = self.good(lesson("three-stages", wait=wait, size=size, n=200)).report
                self.assertEqual(report["total_ns"], report["predicted_ns"], (wait, size))

    def test_the_condition_decides_which_half_of_the_formula_holds(self):
        report = self.good(lesson("exercise-condition")).report
        n, t1, t2, t3 = report["ops"], report["t1_ns"], report["t2_ns"], report["t3_ns"]
        self.assertEqual((n, report["regime"]), (10, "issue-bound"))
        self.assertLess(n * t2, (n - 1) * t1)
        self.assertEqual(report["total_ns"], n * t1 + t2 + t3)
        self.assertNotEqual(report["total_ns"], t1 + n * t2 + t3)
        report = self.good(lesson("exercise-condition", "--streams", "1", size=1000000)).report
        n, t1, t2, t3 = report["ops"], report["t1_ns"], report["t2_ns"], report["t3_ns"]
        self.assertEqual(report["regime"], "execution-bound")
        self.assertEqual(report["total_ns"], t1 + n * t2 + t3)

    def test_streams_overlap_only_what_is_independent(self):
        independent = self.good(lesson("streams", depend="independent")).report
        chain = self.good(lesson("streams", depend="chain")).report
        self.assertGreater(independent["backend_busy_ns"], 1.5 * independent["total_ns"])
        self.assertLessEqual(chain["backend_busy_ns"], chain["total_ns"])
        self.good(lesson("streams", "--workers", "2", device="cpu"))

    def test_metrics_wait_once_or_in_each_minibatch_and_agree(self):
        for device in DEVICES:
            kept = self.good(lesson("metrics", report="end", device=device))
            printed = self.good(lesson("metrics", report="each", device=device))
            self.assertEqual(len(kept.waits("item")), 1)
            self.assertEqual(len(printed.waits("item")), 20)
            losses = [float(line.split()[-1]) for line in printed.out.splitlines()]
            self.assertAlmostEqual(float(kept.out.split()[-1]), sum(losses) / len(losses), places=3)

    # --- memory ---

    def test_memory_piles_up_without_a_barrier(self):
        sizes = {"batches": 6, "batch_size": 256, "features": 512, "hidden": 2048}
        peaks, headway = {}, {}
        for barrier in ("none", "minibatch", "behind:1"):
            report = self.good(lesson("train", "--barrier", barrier, **sizes)).report
            peaks[barrier], headway[barrier] = report["live_bytes_peak"], report["headway_max"]
        self.assertGreater(peaks["none"], peaks["behind:1"])
        self.assertGreater(peaks["behind:1"], peaks["minibatch"])
        self.assertGreater(headway["none"], 2 * headway["minibatch"])
        for barrier, waits in (("none", 0), ("minibatch", 5), ("behind:1", 4)):
            outcome = self.good(lesson("train", "--barrier", barrier, device="cpu"))
            self.assertEqual(len(outcome.waits("minibatch_barrier")), waits)

    def test_a_barrier_on_the_loss_leaves_backward_and_update(self):
        outcome = self.good(lesson("loss-barrier", "--streams", "1", hidden=2048))
        waits = outcome.waits("wait_to_read")
        self.assertEqual(len(waits), 6)
        last = outcome.waits("waitall")[-1]
        for one, after in zip(waits, [*waits[1:], last]):
            # It ended with the loss; what is left of its minibatch was still to do.
            self.assertGreater(one["caused_by_count"], 0)
            self.assertGreater(after["caused_by_count"], 0)
            self.assertLess(max(one["caused_by"]), min(after["caused_by"]))
        everything = self.good(lesson("loss-barrier", "--streams", "1", wait_for="all", hidden=2048))
        self.assertEqual(everything.waits("waitall")[-1]["caused_by_count"], 0)
        self.assertGreater(outcome.report["headway_max"], everything.report["headway_max"])
        self.assertEqual(len(self.good(lesson("loss-barrier", device="cpu")).waits("wait_to_read")), 6)

    def test_a_queue_limit_and_a_budget_are_kept(self):
        for device in DEVICES:
            outcome = self.good(lesson("limits", "--queue-limit", "4", device=device, hidden=2048, batch_size=256))
            self.assertTrue(outcome.waits("queue_limit"))
            self.assertLessEqual(outcome.report["headway_max"], 4)
            outcome = lesson("limits", "--budget", "100K", device=device, batches=30)
            self.assertEqual(outcome.status, 1)
            self.assertIn("out of memory", outcome.report["error"]["message"])
            self.assertGreater(outcome.report["error"]["op"], 0)
            self.assertGreater(outcome.report["error"]["line"], 0)

    def test_free_policies_differ_in_memory_and_not_in_values(self):
        reports = {
            policy: self.good(lesson("free-policies", "--free-policy", policy, "--streams", "1", size=600)).report
            for policy in ("finish", "stream", "lazy")
        }
        self.assertGreater(reports["finish"]["live_bytes_peak"], reports["stream"]["live_bytes_peak"])
        self.assertGreater(reports["finish"]["live_bytes_peak"], reports["lazy"]["live_bytes_peak"])
        self.assertEqual(len({r["total_ns"] for r in reports.values()}), 1)
        self.assertEqual(len({r["ops"] for r in reports.values()}), 1)

    def test_eager_waits_after_each_op_and_traced_does_not(self):
        outcome = self.good(lesson("eager-and-graph", steps=4))
        eager = next(s for s in outcome.report["scopes"] if s["name"] == "eager")
        traced = next(s for s in outcome.report["scopes"] if s["name"] == "traced")
        self.assertGreater(eager["ns"], traced["ns"])

    # --- exercises ---

    def test_the_overlap_exercise_keeps_one_minibatch_ahead(self):
        outcome = self.good(lesson("exercise-overlap", "--streams", "1", size=600))
        self.assertEqual(len(outcome.waits("wait_to_read")), 11)
        # The backend runs dry at the two ends only.
        self.assertLess(outcome.report["backend_idle_ns"], 0.1 * outcome.report["total_ns"])
        self.assertLessEqual(outcome.report["headway_max"], 9)
        self.assertEqual(len(self.good(lesson("exercise-overlap", device="cpu")).waits("wait_to_read")), 11)

    def test_a_barrier_for_both_devices_costs_the_faster_one(self):
        each = self.good(lesson("exercise-cpu-and-gpu", size=500, barrier="each")).report
        last = self.good(lesson("exercise-cpu-and-gpu", size=500, barrier="last")).report
        self.assertGreater(each["total_ns"], last["total_ns"])
        self.assertGreater(each["backend_idle_ns"], last["backend_idle_ns"])
        self.assertEqual(each["backend_busy_ns"], last["backend_busy_ns"])
        outcome = self.good(lesson("exercise-cpu-and-gpu", "--workers", "2", device="cpu"))
        self.assertEqual(len(outcome.waits("waitall")), 9)

    def test_wait_to_read_is_for_what_comes_before_only(self):
        outcome = self.good(lesson("exercise-waits", "--streams", "1", size=800))
        (one,) = outcome.waits("wait_to_read")
        rest, everything = [w for w in outcome.waits("waitall") if w["begin_ns"] > one["begin_ns"]]
        self.assertEqual([w["caused_by_count"] for w in (one, rest, everything)], [3, 6, 9])
        self.assertGreater(everything["ns"], 2 * one["ns"])
        outcome = self.good(lesson("exercise-waits", device="cpu", size=300))
        (one,) = outcome.waits("wait_to_read")
        self.assertLessEqual(one["caused_by_count"], 3)

    def test_a_cpu_is_asynchronous_in_mxnet_and_not_in_pytorch(self):
        torch = self.good(lesson("exercise-cpu-product", device="cpu"))
        self.assertEqual(len(torch.waits("op_barrier")), 20)
        self.assertEqual(torch.report["headway_max"], 1)
        mxnet = self.good(lesson("exercise-cpu-product", "--tab", "mxnet", device="cpu", size=200))
        self.assertEqual([w["kind"] for w in mxnet.waits()], ["waitall"])
        self.assertGreater(mxnet.report["headway_max"], 1)


class Teachers(unittest.TestCase):
    """The example of docs/lessons.md, as it stands there."""

    def setUp(self):
        text = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
        self.lesson = re.search(r"````markdown\n(.*?)````", text, re.S).group(1)
        self.program = re.search(r"```python\n(.*?)```", text, re.S).group(1)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, lesson, program):
        folder = Path(self.folder.name) / "lessons" / "30-two-halves"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lesson.md").write_text(lesson, encoding="utf-8")
        (folder / "halves.py").write_text(program, encoding="utf-8")

    def runner(self, *words):
        return subprocess.run([RUNNER, *words], capture_output=True, text=True,
                              env={**os.environ, "HEADWAY_ASSETS": self.folder.name})

    def total(self, order):
        report = Path(self.folder.name) / "report.json"
        done = self.runner("run", "two-halves", "--set", f"order={order}", "--report", str(report))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(report.read_text(encoding="utf-8"))["total_ns"]

    def test_shows_what_it_claims(self):
        self.write(self.lesson, self.program)
        listed = self.runner("lessons")
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        self.assertIn("Half the work twice", listed.stdout)
        self.assertLess(self.total("both"), self.total("one by one"))

    def test_is_refused_by_file_and_line_when_broken(self):
        for old, new, line, says in (
            ("title:", "titel:", 3, "titel"),
            ("view: graph", "view: table", 6, "view must be"),
            ("  size:", "  rows:", 8, 'halves.py has no line "rows = ..."'),
            ("halves.py", "thirds.py", 4, "thirds.py is not beside it"),
        ):
            self.write(self.lesson.replace(old, new, 1), self.program)
            listed = self.runner("lessons")
            self.assertEqual(listed.returncode, 2)
            self.assertRegex(listed.stderr, rf"30-two-halves/lesson\.md:{line}: .*{re.escape(says)}")
            self.assertEqual(self.runner("run", "two-halves").returncode, 2)


if __name__ == "__main__":
    main()
