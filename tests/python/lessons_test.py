"""Every lesson runs on the CPU and on the simulated device, in every tab. Its statements are checked by claims.py."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from running import RUNNER, main, run

ROOT = Path(__file__).resolve().parents[2]

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
    "three-sums": ["megabytes=2"],
    "under-the-backward-pass": ["size=50", "batch=100"],
    "unequal-gpus": ["size=50", "batch=100"],
    "cpu-and-gpu": ["batches=2", "batch_size=16", "features=64", "hidden=32"],
}

TWO_DEVICES = ("cpu-and-gpu", "exercise-cpu-and-gpu", "pageable-copy", "copy-while-computing", "spin-or-sleep",
               "two-gpus", "ring-all-reduce", "missing-wait", "three-sums",
               "under-the-backward-pass", "unequal-gpus")  # on simulated only


def lesson(name, *options, device="simulated", **values):
    sets = {**dict(s.split("=") for s in SMALL.get(name, [])), **{k: str(v) for k, v in values.items()}}
    words = [w for k, v in sets.items() for w in ("--set", f"{k}={v}")]
    return run(name, "--device", device, *words, *options)


def compare(name, a, b):
    """The report of a comparison of two runs."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run([RUNNER, "compare", name, "--a", a, "--b", b, "--report", str(report)],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(report.read_text(encoding="utf-8"))


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
                    if device == "cpu" and entry["id"] in TWO_DEVICES:
                        continue
                    self.good(lesson(entry["id"], device=device))
            for tab in entry["tabs"]:
                with self.subTest(lesson=entry["id"], tab=tab):
                    self.good(lesson(entry["id"], "--tab", tab))
        self.good(lesson("exercise-cpu-product", "--tab", "mxnet", device="cpu"))
        self.good(lesson("frontends", "--tab", "python", device="cpu"))

    def test_simulated_runs_are_the_same_twice(self):
        def facts():
            report = self.good(lesson("metrics")).report
            del report["machine"], report["headway"]
            return report

        self.assertEqual(facts(), facts())

    def test_both_frontends_in_one_report(self):
        report = compare("frontends", "--set size=2 --set n=3000", "--set size=2 --set n=3000 --tab python")
        self.assertEqual([report[side]["language"] for side in "ab"], ["C++", "Python"])
        self.assertEqual(report["a"]["ops"], report["b"]["ops"])
        self.assertGreater(min(report[side]["t1_ns"] for side in "ab"), 0)
        self.assertIn("Python", report["verdict"]["sentence"])
        # In virtual time the frontends differ only in the cost of lines of Python.
        cxx = "--device simulated --costs t1=2.2us --set n=300 --set size=2"
        same = compare("frontends", cxx, cxx.replace("2us", "2us,line=0") + " --tab python")
        self.assertEqual(same["a"]["total_ns"], same["b"]["total_ns"])
        lines = compare("frontends", cxx, cxx + " --tab python")
        self.assertGreater(lines["b"]["recorded_work_ns"], 300 * 100)
        self.assertGreaterEqual(lines["b"]["total_ns"], lines["a"]["total_ns"] + 300 * 100)
        self.assertEqual(lines["a"]["t1_ns"], lines["b"]["t1_ns"])


class Teachers(unittest.TestCase):
    """The example in docs/lessons.md."""

    def setUp(self):
        text = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
        self.lesson = re.search(r"````markdown\n(.*?)````", text, re.S).group(1)
        self.program, self.claims = re.findall(r"```python\n(.*?)```", text, re.S)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, lesson, program):
        folder = Path(self.folder.name) / "lessons" / "30-two-halves"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lesson.md").write_text(lesson, encoding="utf-8")
        (folder / "halves.py").write_text(program, encoding="utf-8")
        (folder / "claims.py").write_text(self.claims, encoding="utf-8")

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
        checked = subprocess.run([sys.executable, str(ROOT / "tests" / "lessons" / "check_lesson.py"),
                                  str(Path(self.folder.name) / "lessons" / "30-two-halves")], capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout), (0, ""), checked.stderr)

    def test_is_refused_by_file_and_line_when_broken(self):
        for old, new, line, says in (
            ("title:", "titel:", 3, "titel"),
            ("view: graph", "view: table", 6, "view must be"),
            ("  size:", "  rows:", 8, 'halves.py has no line "rows = ..."'),
            ("halves.py", "thirds.py", 4, "thirds.py is not in its folder"),
        ):
            self.write(self.lesson.replace(old, new, 1), self.program)
            listed = self.runner("lessons")
            self.assertEqual(listed.returncode, 2)
            self.assertRegex(listed.stderr, rf"30-two-halves/lesson\.md:{line}: .*{re.escape(says)}")
            self.assertEqual(self.runner("run", "two-halves").returncode, 2)


if __name__ == "__main__":
    main()
