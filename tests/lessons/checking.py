"""The library of a lesson's claims.py: `claim` names the sentences that a function proves, `lesson` runs the lesson.

    from checking import claim, needs

    LARGEST = {"n": 5000}  # optional; with more a run takes too long for a test

    @claim("Waiting once is faster.")
    def waiting(lesson):
        needs(lesson["n"] > 1, "one step is waited for once either way")
        assert lesson.run(wait="once")["total_ns"] < lesson.run(wait="each")["total_ns"]

docs/lessons.md describes it for teachers; check_lesson.py calls the functions.
"""

import functools
import itertools
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = os.environ.get("HEADWAY_RUNNER", str(ROOT / "build" / "release" / "headway-runner"))
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


def claim(*sentences, devices=None):
    """Marks a function as the proof of these sentences of lesson.md. Without `devices` it is called on the lesson's
    own device and on simulated."""

    def mark(function):
        function.sentences = sentences
        function.devices = devices
        return function

    return mark


class NotHere(Exception):
    """A precondition of the claim does not hold with these parameters."""


def needs(condition, reason):
    """Ends the function without a result if the text excludes these parameters; `reason` says why."""
    if not condition:
        raise NotHere(reason)


# The chapter's words for the ops of the real PyTorch that have another name there.
ATEN = {"mm": "matmul", "addmm": "matmul"}


def _word_for(name, makes, reads):
    """The dialects' name of an op, whatever torch has issued it."""
    if not name.startswith("aten::"):
        return name
    name = name.removeprefix("aten::").rstrip("_")
    if name == "copy" and not (makes and reads):
        return "copy_to_device" if makes else "copy_to_host"
    return ATEN.get(name, name)


class Op:
    """One op of the measured part; times in ns on the run's clock. `reads`: the ops that made its inputs."""

    def __init__(self, number):
        self.id = number
        self.name = self.lane = self.line = None
        self.reads = set()
        self.issue_begin_ns = self.issue_end_ns = self.begin_ns = self.end_ns = None

    def __repr__(self):
        return f"<{self.id} {self.name} lane {self.lane} {self.begin_ns}..{self.end_ns}>"


class Run:
    """The output of a run, its report (`run["total_ns"]`) and its ops."""

    def __init__(self, done, report, trace):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self._report, self._trace, self._ops = report, trace, None

    def __getitem__(self, key):
        return self._report[key]

    def __repr__(self):
        keys = ("ops", "total_ns", "t1_ns", "t2_ns", "t3_ns", "regime", "headway_max", "live_bytes_peak")
        return f"<run {({key: self[key] for key in keys} if self._report else self.err)}>"

    def waits(self, *kinds):
        """The waits of these kinds (all if none is given), as in the report."""
        return [w for w in self["waits"] if not kinds or w["kind"] in kinds]

    def values_read(self, *kinds):
        """The same, but waits of one line that follow each other are one: to print a tensor, the real PyTorch reads
        several values of it."""
        merged = []
        for wait in self.waits(*kinds):
            last = merged[-1] if merged else None
            if last and (last["kind"], last["name"], last["line"]) == (wait["kind"], wait["name"], wait["line"]):
                last["ns"] = wait["begin_ns"] + wait["ns"] - last["begin_ns"]
                last["caused_by"] = last["caused_by"] + wait["caused_by"]
                last["caused_by_count"] += wait["caused_by_count"]
            else:
                merged.append(dict(wait))
        return merged

    def scope(self, name):
        """Duration of the scope with this name in ns; the sum if there are several."""
        return sum(s["ns"] for s in self["scopes"] if s["name"] == name)

    def scope_end(self, name):
        """When the last scope with this name ended, in ns."""
        self.ops
        return self._scope_ends[name]

    def printed(self, label):
        """A time that the program printed as "label: 1.38 ms", in ns."""
        for line in self.out.splitlines():
            if line.startswith(label + ":"):
                value, unit = line[len(label) + 1 :].split()[:2]
                return float(value) * UNITS[unit]
        raise AssertionError(f"the program printed no time of {label!r}: {self.out!r}")

    @property
    def ops(self):
        """The ops of the measured part, in the order of their issue."""
        if self._ops is None:
            self._read_trace()
        return self._ops

    @property
    def begin_ns(self):
        """Begin of the measured part, in ns."""
        self.ops
        return self._begin_ns

    def headway_at(self, ns):
        """Number of measured ops that were issued but not finished at this moment."""
        return sum(op.issue_end_ns <= ns < op.end_ns for op in self.ops)

    def overlap_ns(self):
        """Time in ns during which two or more ops ran at the same time."""
        edges = sorted([(op.begin_ns, 1) for op in self.ops] + [(op.end_ns, -1) for op in self.ops])
        total, running, last = 0, 0, 0
        for ns, change in edges:
            total += ns - last if running > 1 else 0
            running, last = running + change, ns
        return total

    def lanes_used(self):
        return len({op.lane for op in self.ops})

    def _read_trace(self):
        trace = json.loads(self._trace.read_text(encoding="utf-8"))
        measured = trace["otherData"]["measured"]
        self._begin_ns = round(measured["begin_us"] * 1e3)
        found, makers, self._scope_ends = {}, {}, {}
        for event in trace["traceEvents"]:
            category = event.get("cat", "")
            if category == "scope":
                self._scope_ends[event["name"]] = round(event["ts"] * 1e3) + round(event["dur"] * 1e3)
            if event["ph"] != "X" or not (category == "issue" or category.startswith("execute")):
                continue
            number = event["args"]["op"]
            if not measured["first"] <= number <= measured["last"]:
                continue
            op = found.setdefault(number, Op(number))
            begin = round(event["ts"] * 1e3)
            end = begin + round(event["dur"] * 1e3)
            if category == "issue":
                op.issue_begin_ns, op.issue_end_ns = begin, end
                op.reads = {makers[tensor] for tensor in event["args"].get("in", []) if tensor in makers}
                makers[event["args"].get("out")] = number
                op.line = int(event["args"]["line"].rpartition(":")[2] or 0)
                op.name = _word_for(event["name"], event["args"].get("out"), event["args"].get("in"))
            else:
                op.lane, op.begin_ns, op.end_ns = event["tid"], begin, end
        self._ops = [found[number] for number in sorted(found)]


class Lesson:
    """A lesson at one setting of its parameters, on one device."""

    def __init__(self, folder, facts, device, setting, tab=""):
        self.folder, self.id, self.device, self.tab = folder, facts["id"], device, tab
        self._values = {p["name"]: _value(p, setting.get(p["name"], p["value"])) for p in facts["parameters"]}
        self._defaults = {p["name"]: _value(p, p["value"]) for p in facts["parameters"]}

    def __getitem__(self, name):
        """The value of a parameter: a number, or a word."""
        return self._values[name]

    @property
    def exact(self):
        """Whether runs are deterministic: on simulated, equal runs take equal time."""
        return self.device == "simulated"

    @property
    def real_torch(self):
        """Whether the program gets PyTorch itself, and not Headway's dialect."""
        return os.environ.get("HEADWAY_TORCH") == "real"

    @property
    def asynchronous(self):
        """Whether ops return before they are done: in all tabs but PyTorch's and TensorFlow's on the cpu."""
        return self.device != "cpu" or self.tab not in ("pytorch", "tensorflow")

    def run(self, *options, fails=False, **parameters):
        """Runs the lesson with these options of `headway run` and these parameters, which override the setting's."""
        return self._run(options, fails, parameters, 0)

    def median(self, number, *options, count=5, **parameters):
        """The median of `number(run)` over several runs; on simulated, of one."""
        runs = (self._run(options, False, parameters, i) for i in range(1 if self.exact else count))
        return statistics.median(number(run) for run in runs)

    def most(self, number, *options, count=5, **parameters):
        """The maximum of `number(run)` over several runs, which other load disturbs least; on simulated, of one."""
        runs = (self._run(options, False, parameters, i) for i in range(1 if self.exact else count))
        return max(number(run) for run in runs)

    def least(self, number, *options, **more):
        """The minimum of `number(run)` over several runs; on simulated, of one."""
        return -self.most(lambda run: -number(run), *options, **more)

    def _run(self, options, fails, parameters, repetition):
        words = [word for option in options for word in option.split()]
        if "--device" not in words:
            words += ["--device", self.device]
        if self.tab and "--tab" not in words:
            words += ["--tab", self.tab]
        for name, value in sorted({**self._values, **parameters}.items()):
            if value != self._defaults.get(name):
                words += ["--set", f"{name}={value}"]
        run = _run(f"{self.folder}/", tuple(words), repetition)
        if "no Python frontend" in run.err:
            print("skipped:", run.err.strip())
            raise SystemExit(77)
        assert fails or run.status == 0, f"headway run {self.id} {' '.join(words)}: {run.err}"
        return run


def _value(parameter, text):
    if "choices" in parameter:
        return str(text)
    return int(float(text)) if parameter["whole"] else float(text)


def waits_for_each_op(lesson, tab, **parameters):
    """Whether this tab waits for each op on the cpu, and on simulated does not."""
    on_cpu, on_gpu = (lesson.run(f"--tab {tab} --device {device}", **parameters) for device in ("cpu", "simulated"))
    each = [before.end_ns <= after.issue_begin_ns for before, after in zip(on_cpu.ops, on_cpu.ops[1:])]
    return all(each) and len(on_cpu.waits("op_barrier")) == on_cpu["ops"] and not on_gpu.waits("op_barrier")


def busy_share(run):
    """The share of the measured time in which the first device was busy."""
    return run["devices"][0]["busy_ns"] / run["total_ns"]


@functools.cache
def run_text(text, *options):
    """Runs a program that is no lesson's: one that has the cause of a claim and nothing else. Once, as _run."""
    path = Path(_files.name) / f"{next(_numbers)}.py"
    path.write_text(text, encoding="utf-8")
    run = _run(str(path), tuple(word for option in options for word in option.split()), 0)
    assert run.status == 0, run.err
    return run


_runs = {}
_numbers = itertools.count()  # of files; tests may run several lessons in threads
_files = tempfile.TemporaryDirectory()


def _run(program, words, repetition):
    """Caches runs: equal arguments run once, whatever the number of claims."""
    key = (program, words, repetition)
    if key not in _runs:
        base = Path(_files.name) / str(next(_numbers))
        report, trace = base.with_suffix(".report.json"), base.with_suffix(".trace.json")
        command = [RUNNER, "run", program, "--report", str(report), "--trace", str(trace), *words]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        read = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None
        _runs[key] = Run(done, read, trace)
    return _runs[key]
