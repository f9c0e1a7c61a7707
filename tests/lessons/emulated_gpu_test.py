#!/usr/bin/env python3
"""Runs every lesson on the complete CUDA module, on up to eight emulated GPUs (tests/unit/cuda/fake_cuda.h): its
program ends well, prints the values of the cpu, and its trace holds together. Claims about order and counts hold there,
too; those about time are not asked, because the emulator's times are not those of a GPU.

    emulated_gpu_test.py [--claims] [--real-gpu] [LESSON...]
        --claims: only which claims hold, with the reasons of the others
        --real-gpu: on this machine's GPU instead; skipped where there is none
"""

import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import check_lesson
import checking

MODULE = os.environ.get("HEADWAY_TEST_FAKE_CUDA", str(checking.ROOT / "build/release/libheadway_fake_cuda_module.so"))
REAL = "--real-gpu" in sys.argv
NAME = "Emulated GPU (CPU threads)"
if not REAL:
    os.environ.update(HEADWAY_CUDA_DRIVER="libc.so.6", HEADWAY_CUDA_MODULE=MODULE, HEADWAY_FAKE_CUDA_GPUS="8")
NEEDS_A_GPU = {"exercise-cpu-and-gpu", "cpu-and-gpu", "pageable-copy", "copy-while-computing", "spin-or-sleep",
               "missing-wait", "two-gpus", "ring-all-reduce", "three-sums", "under-the-backward-pass", "unequal-gpus"}
NOT_VALUES = ("increased memory", "asked", "is_done")  # lines that say how much memory, or how often

# Small enough for an emulator, whose kernels take a thousand times as long as a GPU's.
SMALL = {
    "warm-up": {"size": 60}, "matmul": {"size": 120, "reps": 4}, "who-waits": {"size": 100, "reps": 4},
    "frontends": {"n": 200, "size": 200}, "barriers": {"size": 120}, "blockers": {"size": 60},
    "control-flow": {"size": 80, "steps": 6}, "small-copies": {"size": 80, "steps": 6}, "increment": {"n": 300},
    "streams": {"size": 160}, "metrics": {"batches": 3}, "three-stages": {"n": 50},
    "train": {"batches": 4, "batch_size": 16, "features": 32, "hidden": 32},
    "loss-barrier": {"batches": 2, "hidden": 64}, "limits": {"batches": 6, "batch_size": 16, "features": 32, "hidden": 32},
    "free-policies": {"size": 60, "steps": 12}, "eager-and-graph": {"size": 60, "steps": 4},
    "exercise-overlap": {"size": 120, "batches": 5}, "exercise-cpu-and-gpu": {"size": 100, "batches": 4},
    "exercise-waits": {"size": 120}, "exercise-cpu-product": {"size": 100},
    "cpu-and-gpu": {"batches": 3, "batch_size": 16, "features": 128, "hidden": 64},
    "not-lazy": {"size": 100, "sleep": 20}, "slow-print": {"size": 80, "products": 5}, "wait-once": {"size": 80},
    "pageable-copy": {"size": 100, "steps": 4}, "one-large-many-small": {"pieces": 8},
    "copy-while-computing": {"rows": 40, "columns": 200, "steps": 4}, "two-minibatches": {"batches": 5},
    "update-order": {"hidden": 64}, "overwritten": {"size": 100}, "spin-or-sleep": {"size": 100},
    "missing-wait": {"size": 100, "order": "wait_stream"},  # the other order: check_race()
    "two-gpus": {"products": 4, "size": 60}, "ring-all-reduce": {"size": 4000}, "three-sums": {"megabytes": 1},
    "under-the-backward-pass": {"layers": 3, "batch": 100, "size": 48}, "unequal-gpus": {"batch": 100, "size": 48},
}


def words_for(lesson, tab, device, setting):
    words = [checking.RUNNER, "run", f"{lesson['folder']}/", "--device", device]
    words += ["--tab", tab] if tab else []
    for name, value in setting.items():
        words += ["--set", f"{name}={value}"]
    return words


def run(lesson, tab, device, files, *options, environment=None, setting=None):
    """(status, output, errors, report, trace) of a run."""
    stem = Path(files) / f"{lesson['id']}-{tab}-{device}"
    report, trace = stem.with_suffix(".report.json"), stem.with_suffix(".trace.json")
    words = words_for(lesson, tab, device, SMALL.get(lesson["id"], {}) | (setting or {}))
    done = subprocess.run([*words, "--report", str(report), "--trace", str(trace), *options], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, env={**os.environ, **(environment or {})})
    read = [json.loads(path.read_text("utf-8")) if path.exists() else None for path in (report, trace)]
    return (done.returncode, done.stdout, done.stderr, *read)


def values_of(output):
    """The words and the numbers that a program prints, without times and the device's name."""
    lines = [line for line in output.splitlines() if not line.startswith(NOT_VALUES)]
    text = re.sub(r"\d+(\.\d+)? (ns|µs|ms|s)\b", "TIME", "\n".join(lines))
    text = re.sub(r" @(gpu|cpu)\(0\)|,? ?device='?cuda:0'?|GPU:0|CPU:0", "", text)
    numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text)]
    return re.sub(r"-?\d+\.?\d*(?:e[+-]?\d+)?", "NUMBER", text), numbers


def differences(ours, others):
    (words, numbers), (other_words, other_numbers) = values_of(ours), values_of(others)
    if words != other_words or len(numbers) != len(other_numbers):
        return f"it prints {ours!r}, and {others!r} elsewhere"
    for a, b in zip(numbers, other_numbers):
        if abs(a - b) > 1e-4 * (1 + abs(b)):
            return f"it prints {a}, and {b} elsewhere"
    return None


def trace_problems(report, trace):
    """Whether each op was issued once and ran once, in its lane's order, after its issue and after what it reads."""
    issues, executes, lanes, writers = {}, {}, {}, {}
    problems = []
    for event in trace["traceEvents"]:
        category = event.get("cat", "")
        if event["ph"] != "X" or "op" not in event.get("args", {}):
            continue
        if category == "issue" or category.startswith("execute"):
            kind = issues if category == "issue" else executes
            number = event["args"]["op"]
            if number in kind:
                problems.append(f"op {number} is recorded twice as {category}")
            kind[number] = event
    if set(issues) != set(executes):
        problems.append(f"issued and not executed, or the reverse: ops {sorted(set(issues) ^ set(executes))[:8]}")
    slack_us = 0.002 + 1e-3 * (report["device"]["timing_uncertainty_ns"] or 0)
    for number, event in sorted(executes.items()):
        lane = lanes.setdefault(event["tid"], [])
        if lane and event["ts"] < lane[-1]["ts"] + lane[-1]["dur"] - 0.002:
            problems.append(f"op {number} begins before op {lane[-1]['args']['op']} of its lane ends")
        lane.append(event)
        if number in issues and event["ts"] < issues[number]["ts"] - slack_us:
            problems.append(f"op {number} begins before it is issued")
    for number, issue in sorted(issues.items()):
        for tensor in issue["args"].get("in", []):
            before = executes.get(writers.get(tensor))
            if before and number in executes and executes[number]["ts"] < before["ts"] + before["dur"] - slack_us:
                problems.append(f"op {number} begins before op {writers[tensor]}, which it reads, ends")
        writers[issue["args"].get("out")] = number
    if report["lost_records"] or report["error"]:
        problems.append(f"lost records: {report['lost_records']}, error: {report['error']}")
    return problems, len(executes)


def overlap_us(trace):
    """For how long ops of two lanes ran at the same time."""
    edges = []
    for event in trace["traceEvents"]:
        if event["ph"] == "X" and event.get("cat", "").startswith("execute"):
            edges += [(event["ts"], 1), (event["ts"] + event["dur"], -1)]
    total, running, last = 0, 0, 0
    for at, change in sorted(edges):
        total += at - last if running > 1 else 0
        running, last = running + change, at
    return total


def check_run(lesson, tab, files):
    """(problems, ops) of one program."""
    status, out, err, report, trace = run(lesson, tab, "cuda", files)
    if REAL and status == 3 and "the run asks for" in err:  # this machine has fewer GPUs
        return [], 0
    if status != 0:
        return [f"status {status}: {err}"], 0
    other = run(lesson, tab, "simulated" if lesson["id"] in NEEDS_A_GPU else "cpu", files)
    problems, ops = trace_problems(report, trace)
    difference = differences(out, other[1])
    problems += [difference] if difference else []
    named = {report["device"]["name"].partition(", ")[0], report["devices"][0]["name"].partition(", ")[0]}
    if (named == {NAME}) == REAL or report["device"]["kind"] != "cuda":
        problems.append(f"the report does not say which GPU it was: {report['device']}")
    if lesson["id"] == "streams" and not tab:
        more = (run(lesson, tab, "cuda", files)[4] for _ in range(4))  # a busy machine may run a thread at a time
        if not any(overlap_us(each) > 0 for each in itertools.chain([trace], more)):
            problems.append("independent products do not overlap on two streams in any of five runs")
    return problems, ops


def check_missing_waits(lesson, files):
    """The emulator notices a backend that leaves out the waits between streams."""
    status, _, err, _, _ = run(lesson, "", "cuda", files, environment={"HEADWAY_FAKE_CUDA_IGNORE_WAITS": "1"})
    missed = status == 0 or "order: " not in err or "neither waits for the other" not in err
    return [f"without waits between streams: status {status}, {err}"] if missed else []


def check_race(lesson, files):
    """The emulator ends a program that races, and says which accesses nothing orders."""
    status, _, err, _, _ = run(lesson, "", "cuda", files, setting={"order": "forgotten"})
    missed = status != 1 or any(words not in err for words in
                                ("order: ", "neither waits for the other", "process ended with status 66 before the program did"))
    return [f"without the wait: status {status}, {err}"] if missed else []


def check_too_few(lesson, files):
    """On a machine with one GPU, a lesson for two says so, and nothing ran."""
    status, out, err, report, _ = run(lesson, "", "cuda", files, environment={"HEADWAY_FAKE_CUDA_GPUS": "1"})
    said = ("headway: the device cuda is not available: the run asks for 2 GPUs, and there is no GPU 1: "
            "the driver finds 1 GPU, and counts from 0\n")
    return [] if (status, out, err) == (3, "", said) else [f"with one GPU: status {status}, {out!r}, {err!r}"]


def claims_of(lesson, verbose=False):
    """(problems, number of claims that hold) of the claims about order and counts."""
    module = check_lesson.load(lesson["folder"] / "claims.py")
    problems, held = [], 0
    for function in [f for f in vars(module).values() if hasattr(f, "sentences")]:
        if not verbose and function.__name__ not in CLAIMS.get(lesson["id"], ()):
            continue
        if verbose and function.devices is not None and len(function.devices) == 1:
            continue
        try:
            setting = {name: str(value) for name, value in SMALL.get(lesson["id"], {}).items()}
            function(checking.Lesson(lesson["folder"], lesson, "cuda", setting))
            outcome = "holds"
            held += 1
        except checking.NotHere as reason:  # the rest of the claim is about long ops
            outcome = f"not here: {reason}"
        except Exception as error:  # any error: go on with the other claims
            if REAL and "the run asks for" in str(error):  # this machine has fewer GPUs
                continue
            outcome = "FAILS"
            problems.append(f"{function.__name__}:\n    {check_lesson.failure(error, function)}")
        if verbose:
            print(f"{lesson['id']} {function.__name__}: {outcome}", flush=True)
    return problems, held


# Claims that say in which order something happens, or how often.
CLAIMS = {
    "warm-up": ("two_are_warm_up", "all_are_printed"),
    "who-waits": ("numpy_is_the_frontends_work",),
    "dependency-graph": ("only_print_waits", "the_same_ops_waited_for", "the_graph"),
    "blockers": ("each_blocker_waits", "shape_does_not_wait"),
    "control-flow": ("each_if_waits",),
    "small-copies": ("each_copy_empties_the_queue",),
    "increment": ("one_at_most",),
    "loss-barrier": ("the_rest_goes_on", "all_is_done", "pytorch_reads_in_the_stream"),
    "free-policies": ("their_own",),
    "eager-and-graph": ("four_issues_or_one", "asynchronous_on_a_gpu", "issue_as_a_graph"),
    "exercise-overlap": ("the_order", "none_ahead", "the_policy", "an_event"),
    "exercise-waits": ("a_chain", "the_waits", "the_second_one"),
    "cpu-and-gpu": ("what_waits",),
    "slow-print": ("each_waits_for_what_it_needs",),
    "wait-once": ("one_wait", "a_wait_in_each_step"),
    "pageable-copy": ("pageable_waits",),
    "one-large-many-small": ("the_work",),
    "copy-while-computing": ("dependencies", "one_stream"),
    "prints-vanish": ("two_lines", "eager"),
    "two-minibatches": ("the_program",),
    "update-order": ("the_program", "order_without_waits", "one_stream"),
    "two-gpus": ("two_chains",), "ring-all-reduce": ("the_sum",), "under-the-backward-pass": ("the_program",),
    "overwritten": ("the_program", "a_write_waits", "the_values"),
}


def lessons():
    listed = json.loads(subprocess.run([checking.RUNNER, "lessons", "--json"], capture_output=True, text=True).stdout)
    found = {facts["id"]: facts for facts in listed}
    for path in sorted((checking.ROOT / "assets" / "lessons").glob("*/lesson.md")):
        text = path.read_text("utf-8")
        number = re.search(r"^id: (\S+)$", text, re.M)[1]
        found[number]["folder"] = path.parent
    return list(found.values())


def devices():
    return subprocess.run([checking.RUNNER, "devices"], capture_output=True, text=True).stdout


def main():
    words = sys.argv[1:]
    wanted = [word for word in words if not word.startswith("--")]
    chosen = [lesson for lesson in lessons() if not wanted or lesson["id"] in wanted]
    why = re.search(r"^cuda *not available: (.*)$", devices(), re.M)
    if why or not (REAL or os.path.exists(MODULE)):
        print("skipped: " + (why[1] if why else "the emulated CUDA module was not built"))
        return 77
    if "--claims" in words:
        for lesson in chosen:
            claims_of(lesson, verbose=True)
        return 0
    begun, bad, programs, ops, claims = time.monotonic(), 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as files, concurrent.futures.ThreadPoolExecutor(2) as pool:
        started = [(lesson["id"], tab, pool.submit(check_run, lesson, tab, files))
                   for lesson in chosen for tab in ("", *lesson["tabs"])]
        of_emulator = [] if REAL else chosen
        races = [lesson for lesson in of_emulator if lesson["id"] == "missing-wait"]
        started += [(lesson["id"], "forgotten", pool.submit(lambda l: (check_race(l, files), 0), lesson))
                    for lesson in races]
        without = [lesson for lesson in of_emulator if lesson["id"] == "train"]
        started += [(lesson["id"], "without waits", pool.submit(lambda l: (check_missing_waits(l, files), 0), lesson))
                    for lesson in without]
        started += [(lesson["id"], "one GPU", pool.submit(lambda l: (check_too_few(l, files), 0), lesson))
                    for lesson in of_emulator if lesson["id"] == "two-gpus"]
        started += [(lesson["id"], "claims", pool.submit(claims_of, lesson)) for lesson in chosen]
        for name, what, future in started:
            problems, count = future.result()
            bad += len(problems)
            if what == "claims":
                claims += count
            else:
                programs, ops = programs + 1, ops + count
            for problem in problems:
                print(f"{name} {what}: {problem}")
    print(f"{len(chosen)} lessons, {programs} programs, {ops} ops and {claims} claims on {'the GPU' if REAL else NAME} in "
          f"{time.monotonic() - begun:.0f} s: {bad} problems")
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
