"""Recomputes a report from the raw events of the same run, and prints the differences.

    python3 checker.py REPORT.json TRACE.json
"""

import json
import sys

import curves
import explanation
import frontend
import prediction
import races
import verdict
from events import PENDING, Trace
from graph import Graph, clipped
from sums import Sums

# Entries of the report that do not follow from raw events, each with its reason.
SAID = {
    "headway": "the program's version",
    "result": "what the program says of itself",
    "error": "the failure's message",
    "machine": "facts of the machine",
}
FROM_OTHER = {  # copied from the trace's metadata
    "program": "program", "language": "frontend",
}
SETTINGS = ("gpus", "links", "gpu_speeds", "barrier", "free_policy", "workers", "streams", "budget", "queue_limit", "seed", "profile",
            "chosen", "issue", "launch", "copies", "products")
MOST_CAUSES = 1000  # limit of the list in a wait


class Check:
    """`differences`: (key, the report's value, the recomputed value). `compared`: how many numbers were compared."""

    def __init__(self, report, trace):
        self.report, self.trace = report, trace
        self.differences, self.compared = [], 0
        self.graph = Graph(trace)
        self.sums = Sums(trace, self.graph)
        self.seen = set()
        self.own = {}  # the recomputed entries of the report, by key
        self._check()

    def equal(self, key, said, own):
        if isinstance(own, dict) and isinstance(said, dict):
            for name in {**said, **own}:
                if name not in said or name not in own:
                    self.differences.append((f"{key}.{name}", said.get(name, "(absent)"), own.get(name, "(unchecked)")))
                else:
                    self.equal(f"{key}.{name}", said[name], own[name])
        elif isinstance(own, list) and isinstance(said, list) and own and isinstance(own[0], dict):
            if len(own) != len(said):
                self.differences.append((key + " (how many)", len(said), len(own)))
            for i, (one, other) in enumerate(zip(said, own)):
                self.equal(f"{key}[{i}]", one, other)
        else:
            self.compared += 1
            if said != own or type(said) is not type(own):
                self.differences.append((key, said, own))

    def top(self, key, own):
        self.seen.add(key)
        self.own[key] = own
        if key not in self.report:
            self.differences.append((key, "(absent)", own))
        else:
            self.equal(key, self.report[key], own)

    def near(self, key, said, own, apart):
        self.compared += 1
        if abs(said - own) > apart:
            self.differences.append((key, said, own))

    def _check(self):
        report, trace, sums = self.report, self.trace, self.sums
        for key, own in sums.numbers().items():
            self.top(key, own)
        self.top("devices", sums.devices())
        self.top("links", sums.links())
        self._facts()
        self._waits()
        self._curves()
        self._marks()
        frontend.check(self)
        prediction.check(self)
        races.check(self)
        explanation.check(self)
        self.seen.add("repeat")
        for key, said, own in verdict.repeats(report):
            self.equal(f"repeat.{key}", said, own)
        for key in report:
            if key not in self.seen and key not in SAID:
                self.differences.append((key, report[key], "(unchecked: a new key needs a check, or a reason in SAID)"))

    def _facts(self):
        other = self.trace.other
        for key, name in FROM_OTHER.items():
            self.top(key, other[name])
        self.top("torch", {"name": other["torch"], "cpu_ops": other.get("cpu_ops"), "cpu_ops_ns": other.get("cpu_ops_ns")}
                 if "torch" in other else None)
        device = {"kind": other["device_kind"], "name": other["device_name"], "simulated": other["simulated"]}
        device.update({key: other[key] for key in ("timing", "timing_note", "timing_uncertainty_ns") if key in other})
        if "timing" in other:
            device["bounded_ops"] = sum(span.more["bytes"] for span in self.trace.driver if span.more["kind"] == 32)
        self.top("device", device)
        settings = {key: other[key] for key in SETTINGS if key in other}
        if other["barrier_changes"]:
            settings["barrier_changes"] = [{"ns": round(change["us"] * 1000), "barrier": change["barrier"]}
                                           for change in other["barrier_changes"]]
        settings["budget"] = other.get("budget_in_effect", other["budget"]) or None
        settings["budget_is_default"] = other.get("budget_is_default")
        self.top("settings", settings)
        self.top("parameters", other["parameters"])
        self.equal("error.kind", (self.report["error"] or {}).get("kind"), other.get("error", {}).get("kind"))
        self._end()

    def _end(self):
        said, count = self.report["end"], len(self.trace.ops)
        self.seen.add("end")
        self.equal("end.recorded_ops", said["recorded_ops"], count)
        error = self.trace.other.get("error")
        ops = f"{count:,} op" + ("" if count == 1 else "s")
        if error:
            stopped = error.get("kind") == "stopped"
            self.equal("end.verdict", said["verdict"], "stopped" if stopped else "failed")
            self.equal("end.sentence names the ops", stopped or count == 0 or f"after issuing {ops}: " in said["sentence"], True)
        elif self.trace.other["state"] == "finished" and self.trace.other["lost_records"] == 0:
            self.equal("end", said, {"verdict": "complete", "missing": None, "recorded_ops": count,
                                     "sentence": f"Complete: {ops}." if count else "Complete: no ops."})

    def _waits(self):
        trace = self.trace
        own, pauses = [], []
        for index in range(trace.first_wait, trace.waits_end):
            wait = trace.waits[index]
            if wait.kind == "paused":
                pauses.append({"line": wait.line[1], "file": trace.files[wait.line[0]], "begin_ns": wait.begin,
                               "ns": clipped(wait.begin, wait.end, trace)})
                continue
            causes = self.graph.causes(wait)
            parts, before, own_ops = self.graph.split(index)
            cut_off = self.report["end"]["verdict"] != "complete" and any(op.end == PENDING for op in trace.ops)
            killed_in_it = cut_off and causes and self.graph.ended_by(wait) is None
            entry = {"line": wait.line[1], "file": trace.files[wait.line[0]], "kind": wait.kind, "name": wait.name,
                     "begin_ns": wait.begin, "ns": wait.end - wait.begin - wait.held,
                     "caused_by": causes[:MOST_CAUSES], "caused_by_count": len(causes),
                     "split": None if killed_in_it else {**parts, "before_ops": before, "own_ops": own_ops}}
            if len(trace.devices) > 1:
                device = self.sums.device_of(wait)
                entry["device"] = None if device is None else trace.device_word(device)
            own.append(entry)
            self.equal(f"waits[{index}].split adds up", sum(parts.values()), entry["ns"])
        self.top("waits", own)
        self.top("pauses", pauses)

    def _curves(self):
        """Compares the curves that the window draws with those of the events."""
        trace = self.trace
        drawn = {"headway": curves.headway(trace)}
        (live, _), by_device = curves.memory(trace)
        drawn["live bytes"] = live
        if len(trace.devices) > 1:
            for i, device in enumerate(trace.devices):
                name = "CPU" if device["kind"] == "cpu" else "GPU" if trace.gpus < 2 else f"GPU {i}"
                drawn[f"live bytes, {name}"] = by_device[i][0]
        for name, own in drawn.items():
            if trace.other["live_sampled"] and name != "headway":
                continue
            said = curves.changes_only(trace.counters.get(name, []))
            own = curves.changes_only(own)
            self.compared += len(own)
            if said != own:
                at = next((i for i, (a, b) in enumerate(zip(said, own)) if a != b), min(len(said), len(own)))
                self.differences.append((f"curve of {name}, change {at} of {len(own)}", said[at:at + 2],
                                         own[at:at + 2]))

    def _marks(self):
        """Checks that the measured ops and waits are those between the start and the end of measuring."""
        trace = self.trace
        issues, waits = [(o.issue_begin, o.issue_end) for o in trace.ops], [(w.begin, w.end) for w in trace.waits]
        for kind, items, first, end in (("op", issues, trace.first - 1, trace.last),
                                        ("wait", waits, trace.first_wait, trace.waits_end)):
            for i, (begin, until) in enumerate(items):
                inside = first <= i < end
                if inside:
                    fits = begin >= trace.begin and until <= trace.end
                else:
                    fits = until <= trace.begin or begin >= trace.end
                self.compared += 1
                if not fits:
                    self.differences.append((f"measured part, {kind} {i + 1}", inside, (begin, until)))
        if not trace.end_marked:
            last = max((op.end for op in trace.ops if op.end != PENDING), default=0)
            if trace.program_end is not None:
                self.equal("measured end", trace.end, max(trace.program_end, last, trace.begin))
        if not trace.begin_marked:
            self.equal("measured begin", trace.begin, trace.first_ns)


def check(report_path, trace_path):
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    return Check(report, Trace(trace_path))


def main():
    done = check(sys.argv[1], sys.argv[2])
    for key, said, own in done.differences:
        print(f"{key}: the report says {said}, the events {own}")
    print(f"{done.compared} numbers compared, {len(done.differences)} differ")
    return 1 if done.differences else 0


if __name__ == "__main__":
    sys.exit(main())
