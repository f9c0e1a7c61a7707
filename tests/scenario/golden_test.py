"""Whole reports of runs in virtual time: what is said about a run changes only on purpose.

golden/NAME.txt holds the reports of one lesson or program, each below its command. After an intended change, write
them again and read what has changed:

    python3 tests/scenario/golden_test.py build/release/headway-runner --update && git diff tests/scenario/golden

Python programs run with lines that take no time: how many lines Python counts depends on its version. What depends on
the machine is left out: its name, the default budget, and version numbers.
"""

import difflib
import json
import sys
from pathlib import Path

from scenario import Scenario, main

FOLDER = Path(__file__).resolve().parent / "golden"
UPDATE = "--update" in sys.argv
NO_LINES = ("--costs", "line=0ns")
SLOW_BACKEND = ("--costs", "t1=1us,t2=20us,t3=2us,line=0ns")
# name of the file -> the options of each run of the lesson or program of this name
RUNS = {
    "warm-up": [NO_LINES],
    "who-waits": [NO_LINES, (*NO_LINES, "--streams", 1, "--barrier", "op")],
    "dependency-graph": [NO_LINES, (*NO_LINES, "--issue", "graph")],
    "barriers": [NO_LINES, (*NO_LINES, "--barrier", "none")],
    "blockers": [NO_LINES, (*NO_LINES, "--issue", "graph")],
    "small-copies": [(*NO_LINES, "--set", "steps=5")],
    "streams": [NO_LINES, (*NO_LINES, "--streams", 3, "--order", 5)],
    "loss-barrier": [NO_LINES],
    "free-policies": [(*NO_LINES, "--free-policy", policy) for policy in ("finish", "stream", "lazy")],
    "eager-and-graph": [NO_LINES],
    "exercise-overlap": [NO_LINES],
    "exercise-cpu-and-gpu": [NO_LINES, (*NO_LINES, "--workers", 2, "--order", 3)],
    "cpu-and-gpu": [NO_LINES],
    "update-order": [NO_LINES],
    "overwritten": [NO_LINES],
    "two-gpus": [NO_LINES, (*NO_LINES, "--links", "ring", "--gpus", 3)],
    "ring-all-reduce": [NO_LINES],
    "missing-wait": [NO_LINES, (*NO_LINES, "--order", 2)],
    "unequal-gpus": [NO_LINES],
    "increment": [("--set", "n=12", *options) for options in (
        (), ("--streams", 1, "--costs", "t1=1us,t2=3us,t3=2us"), ("--set", "wait=each"), ("--issue", "graph"),
        ("--queue-limit", 3, "--costs", "t1=1us,t2=3us,t3=2us"))],
    "train": [("--set", "batches=3", *options) for options in (
        *(("--barrier", barrier) for barrier in ("none", "minibatch", "behind:1")),
        ("--set", "hidden=4096", "--set", "batch_size=512", "--free-policy", "lazy", "--streams", 3),
        ("--set", "hidden=4096", "--set", "batch_size=512", "--budget", "64M", "--barrier", "none"))],
    "loop.py": [NO_LINES, SLOW_BACKEND, (*SLOW_BACKEND, "--barrier", "minibatch"),
                (*SLOW_BACKEND, "--barrier", "behind:2", "--streams", 3), (*SLOW_BACKEND, "--queue-limit", 4),
                (*SLOW_BACKEND, "--issue", "graph", "--streams", 1)],
    "two_devices.py": [NO_LINES, SLOW_BACKEND, (*SLOW_BACKEND, "--gpus", 2, "--links", "pairs", "--barrier", "op")],
    "fails.py": [SLOW_BACKEND],
}
LEFT_OUT = ("headway", "machine", "language", "torch")


def lines_of(value):
    """A list of objects takes a line for each; everything else takes one line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return ["", *(f"  {json.dumps(item, ensure_ascii=False)}" for item in value)]
    return [json.dumps(value, ensure_ascii=False)]


def text_of(report):
    lines = []
    for sentence in report.pop("explanation"):
        lines.append(sentence["text"])
        lines += [f"  {json.dumps(place, ensure_ascii=False)}" for place in sentence["shows"]]
    for name in LEFT_OUT:
        report.pop(name)
    if report["settings"].pop("budget_is_default"):
        report["settings"].pop("budget")
    for name, value in report.items():
        first, *rest = lines_of(value)
        lines += [f"{name}: {first}".rstrip(), *rest]
    return "\n".join(lines) + "\n"


class Golden(Scenario):
    maxDiff = None

    def report_text(self, name, options):
        program = FOLDER / "programs" / name if name.endswith(".py") else name
        path = self.folder / "report.json"
        ran = self.headway("run", program, "--device", "simulated", *options, "--replace", "--report", path)
        self.assertIn(ran.status, (0, 1), ran)
        return text_of(json.loads(path.read_text(encoding="utf-8")))

    def test_reports_are_those_in_the_folder(self):
        for name, runs in RUNS.items():
            path = FOLDER / f"{Path(name).stem}.txt"
            with self.subTest(name):
                text = "".join(f"$ headway run {name} --device simulated {' '.join(map(str, options))}\n"
                               f"{self.report_text(name, options)}\n" for options in runs)
                if UPDATE:
                    path.write_text(text, encoding="utf-8")
                elif text != (expected := path.read_text(encoding="utf-8")):
                    self.fail("".join(difflib.unified_diff(expected.splitlines(True), text.splitlines(True),
                                                           str(path), "this run", n=0)))

    def test_the_folder_has_no_other_files(self):
        self.assertEqual({path.stem for path in FOLDER.glob("*.txt")}, {Path(name).stem for name in RUNS})


if __name__ == "__main__":
    if UPDATE:
        sys.argv.remove("--update")
    main()
