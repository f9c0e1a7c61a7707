"""Opens traces of lessons in the window, offscreen, and compares its tables with the reports of the same runs.

    window_test.py HEADWAY [--all]
"""

import json
import os
import random
import subprocess
import sys
import tempfile

import lessons
import window
from events import Trace
from graph import Graph
from sums import Sums

HEADWAY = os.path.abspath(sys.argv[1])
QUICK = 10


def look(folder, name, options):
    """(how many texts were compared, differences)."""
    report, trace, words = (os.path.join(folder, file) for file in ("report.json", "trace.json", "words.txt"))
    done = subprocess.run([lessons.RUNNER, "run", name, *options, "--report", report, "--trace", trace],
                          capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        return 0, [f"status {done.returncode}: {done.stderr.decode()[-300:]}"]
    done = subprocess.run([HEADWAY, trace, "--offscreen", "1920x1080", "--do", "frames:20", "--do",
                           "click:detail/Numbers",
                           # scrolls to the last sentence: the prediction is below it
                           "--do", "key:shift+e", "--do", "frames:20", "--do", f"words:{words}"],
                          capture_output=True, text=True, timeout=120, check=False)
    if "OpenGL" in done.stderr:
        print("skipped:", done.stderr.strip())
        sys.exit(77)
    if done.returncode != 0:
        return 0, [done.stderr.strip()]
    with open(report, encoding="utf-8") as file:
        events = Trace(trace)
        lanes_ns = Sums(events, Graph(events)).lanes_ns()
        compared, wrong = window.differences(json.load(file), lanes_ns, window.words_of(words))
    return compared, [f"{head}: the window says {said}, the report {text}" for head, said, text in wrong]


def main():
    runs = [(lesson["id"], [*lessons.small_sizes(lesson), "--device", device]) for lesson in lessons.listed()
            for device in ("cpu", "simulated") if device == "simulated" or lesson["id"] not in lessons.TWO_DEVICES]
    if "--all" not in sys.argv:
        runs = random.Random(15).sample(runs, min(QUICK, len(runs)))
    texts = failed = 0
    for name, options in runs:
        with tempfile.TemporaryDirectory(prefix="headway-checker-") as folder:
            compared, wrong = look(folder, name, options)
        texts += compared
        if wrong:
            failed += 1
            print(name, *options)
            print("".join(f"    {line}\n" for line in wrong), end="")
    print(f"{len(runs)} windows, {texts} texts compared, {failed} windows with differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
