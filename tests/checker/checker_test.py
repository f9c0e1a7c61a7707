"""Runs lessons and random programs, and compares every number of their reports with the raw events.

By default a sample, drawn with a fixed seed; --all: all lessons and tabs on all devices under all barrier policies, and
320 random programs, and the comparison of each lesson. --only WORD: those whose name contains it.
"""

import argparse
import copy
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import checker
import learner
import lessons
import programs
import verdict
from events import Trace

RUNNER = os.environ["HEADWAY_RUNNER"]
POLICIES = (None, "none", "op", "minibatch", "behind:1")  # None: the program's own
DEVICES = ("cpu", "simulated")
RANDOM_PROGRAMS = 200
STREAMS_PROGRAMS = 120
QUICK_LESSONS, QUICK_PROGRAMS, QUICK_STREAMS, QUICK_COMPARISONS, QUICK_HANDS = 64, 60, 30, 12, 10


def runs_of_lessons():
    """(name, arguments) of every run of a lesson."""
    for lesson in lessons.listed():
        for tab in [None, *lesson["tabs"]]:
            for device in DEVICES:
                if device == "cpu" and lesson["id"] in lessons.TWO_DEVICES:
                    continue
                for policy in POLICIES:
                    name = f"{lesson['id']} {tab or ''} {device} {policy or 'as written'}"
                    yield name, [lesson["id"], *lessons.small_sizes(lesson), "--device", device,
                                 *(["--tab", tab] if tab else []), *(["--barrier", policy] if policy else [])]


def comparisons():
    """(name, arguments of compare): each lesson's own, on both devices."""
    for lesson in lessons.listed():
        a, b = lessons.comparison(lesson)
        for device in DEVICES:
            if device == "simulated" or lesson["id"] not in lessons.TWO_DEVICES:
                rest = " ".join(["", *lessons.small_sizes(lesson), "--device", device])
                yield f"{lesson['id']} {device}", [lesson["id"], "--a", a + rest, "--b", b + rest]


def compare_one(job):
    """(name, how many values were compared, differences)."""
    name, arguments = job
    with tempfile.TemporaryDirectory(prefix="headway-checker-") as folder:
        path = os.path.join(folder, "report.json")
        done = subprocess.run([RUNNER, "compare", *arguments, "--report", path], capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=240, check=False)
        if done.returncode != 0:
            return name, 0, [f"status {done.returncode}: {done.stderr.strip()[-400:]}"]
        with open(path, encoding="utf-8") as file:
            compared, found = verdict.differences(json.load(file))
        return name, compared, [f"{key}: the report says {said}, the rounds {own}" for key, said, own in found]


def run_one(job):
    """(name, how many numbers were compared, differences)."""
    name, arguments, text = job
    with tempfile.TemporaryDirectory(prefix="headway-checker-") as folder:
        if text is not None:
            arguments = [os.path.join(folder, "program.py"), *arguments]
            with open(arguments[0], "w", encoding="utf-8") as file:
                file.write(text)
        report, trace = os.path.join(folder, "report.json"), os.path.join(folder, "trace.json")
        done = subprocess.run([RUNNER, "run", *arguments, "--report", report, "--trace", trace], capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=120)
        may_fail = text is not None and ("--budget" in arguments or "raise" in text)
        if done.returncode not in ((0, 1) if may_fail else (0,)):
            return name, 0, [f"status {done.returncode}: {done.stderr.strip()[-400:]}\n{text or ''}"]
        found = checker.check(report, trace)
        wrong = [f"{key}: the report says {said}, the events {own}" for key, said, own in found.differences]
        return name, found.compared, wrong


def skip_without_python():
    with tempfile.TemporaryDirectory(prefix="headway-checker-") as folder:
        path = os.path.join(folder, "probe.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import headway\n")
        done = subprocess.run([RUNNER, "run", path], capture_output=True, text=True, check=False)
    if "no Python frontend" in done.stderr:
        print("skipped:", done.stderr.strip())
        sys.exit(77)


def learners_hand(job):
    """As run_one(), for recorded runs into which pauses and holds are inserted."""
    name, arguments, seed = job
    with tempfile.TemporaryDirectory(prefix="headway-checker-") as folder:
        report, trace, touched = (os.path.join(folder, file) for file in ("both.json", "trace.json", "touched.json"))
        subprocess.run([RUNNER, "run", *arguments, "--trace", trace], capture_output=True, check=True)
        learner.touched(trace, touched, seed)
        subprocess.run([RUNNER, "compare", "--a", trace, "--b", touched, "--report", report], capture_output=True,
                       check=True)
        with open(report, encoding="utf-8") as file:
            both = json.load(file)
        count, wrong = 0, []
        for side, path in (("a", trace), ("b", touched)):
            found = checker.Check(both[side], Trace(path))
            count += found.compared
            wrong += [f"{side}.{key}: the report says {said}, the events {own}" for key, said, own in found.differences]
        return name, count, wrong


def numbers_in(value, path=()):
    """The paths of all numbers in a report."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers_in(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from numbers_in(inner, (*path, i))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def missed_changes():
    """Changes every number of a report in turn; returns the changes that the checker does not find."""
    with tempfile.TemporaryDirectory(prefix="headway-checker-") as folder:
        report_path, trace_path = os.path.join(folder, "report.json"), os.path.join(folder, "trace.json")
        subprocess.run([RUNNER, "run", "train", "--set", "batches=1", "--set", "batch_size=4", "--device", "simulated",
                        "--report", report_path, "--trace", trace_path], capture_output=True, check=True)
        with open(report_path, encoding="utf-8") as file:
            report = json.load(file)
        missed = []
        for path in numbers_in(report):
            if path[0] in checker.SAID:
                continue
            changed = copy.deepcopy(report)
            inner = changed
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] += 5
            if not checker.Check(changed, Trace(trace_path)).differences:
                missed.append(path)
        changed = {**report, "a_new_key": 1}
        if not checker.Check(changed, Trace(trace_path)).differences:
            missed.append("a new key")
    return missed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    skip_without_python()
    of_lessons = [(f"lesson {name}", arguments, None) for name, arguments in runs_of_lessons()]
    of_comparisons = [(f"comparison {name}", arguments) for name, arguments in comparisons()]
    of_hands = [(f"hand {seed} {lesson['id']}", [lesson["id"], *lessons.small_sizes(lesson), "--device", "cpu",
                                                 "--workers", str(1 + seed % 2)], seed)
                for seed in range(4) for lesson in lessons.listed() if lesson["id"] not in lessons.TWO_DEVICES]
    of_programs = []
    for seed in range(RANDOM_PROGRAMS):
        text, options, dialect = programs.program(seed)
        of_programs.append((f"program {seed} {dialect} {' '.join(options)}", options, text))
    of_streams = []
    for seed in range(STREAMS_PROGRAMS):
        text, options = programs.streams_program(seed)
        of_streams.append((f"streams program {seed} {' '.join(options)}", options, text))
    if not chosen.all and not chosen.only:
        sample = random.Random(15)
        of_lessons = sample.sample(of_lessons, min(QUICK_LESSONS, len(of_lessons)))
        of_programs = sample.sample(of_programs, QUICK_PROGRAMS)
        of_streams = sample.sample(of_streams, QUICK_STREAMS)
        of_hands = sample.sample(of_hands, QUICK_HANDS)
        of_comparisons = sample.sample(of_comparisons, min(QUICK_COMPARISONS, len(of_comparisons)))
    hands = [job for job in of_hands if chosen.only in job[0]]
    compares = [job for job in of_comparisons if chosen.only in job[0]]
    jobs = [job for job in of_lessons + of_programs + of_streams if chosen.only in job[0]]
    compared = failed = 0
    with ProcessPoolExecutor(max_workers=2) as pool:
        missed = pool.submit(missed_changes)
        for name, count, wrong in itertools.chain(pool.map(run_one, jobs), pool.map(learners_hand, hands),
                                                  pool.map(compare_one, compares)):
            compared += count
            if wrong:
                failed += 1
                print(f"{name}: {len(wrong)} of {count} numbers differ")
                print("".join(f"    {line[:600]}\n" for line in wrong[:6]), end="", flush=True)
        if missed.result():
            failed += 1
            print("changed and not found:", missed.result())
    print(f"{len(jobs)} runs, {len(hands)} recorded ones with a learner's hand and {len(compares)} comparisons, "
          f"{compared} numbers compared, {failed} with differences")
    return 1 if failed or not jobs + compares + hands else 0


if __name__ == "__main__":
    sys.exit(main())
