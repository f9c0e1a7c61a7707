"""Inserts pauses and held lanes into the trace of a recorded run, because no test can pause a run with nanosecond
accuracy. `headway compare --a TRACE --b TRACE` reports on traces as on runs."""

import json
import random

from events import COSTS, DROPS, FIRST_LANE, FRONTEND, PENDING, WAITS, WORK, Trace, nanoseconds
from graph import Graph


def microseconds(ns):
    return ns / 1000


def end_of(event):
    return nanoseconds(event["ts"]) + nanoseconds(event.get("dur", 0))


def paused(whole, draw, lasts_ns):
    """Inserts a pause between two events of the frontend: later times, including ends of running ops, move by it."""
    events, other = whole["traceEvents"], whole["otherData"]
    front = sorted((nanoseconds(e["ts"]), end_of(e)) for e in events
                   if e["ph"] in "Xi" and e["tid"] in (FRONTEND, WAITS, WORK, COSTS, DROPS))
    recorded = [e for e in events if e["ph"] == "X" and e["tid"] in (FRONTEND, WAITS, WORK)]
    gaps, until = [], min((nanoseconds(e["ts"]) for e in recorded), default=0)
    for begin, end in front:
        if begin - until > 3:
            gaps.append((until, begin))
        until = max(until, end)
    ends = nanoseconds(other.get("program_end_us", other["measured"]["end_us"]))
    gaps = [(begin, end) for begin, end in gaps if end <= ends]
    if not gaps:
        return
    begin, end = draw.choice(gaps)
    at = draw.randint(begin + 1, end - 1)
    moved = lambda us: us if nanoseconds(us) < at else microseconds(nanoseconds(us) + lasts_ns)
    issued, place = 0, 0
    for event in events:
        if event["ph"] == "X" and event["tid"] == FRONTEND and nanoseconds(event["ts"]) < at:
            issued += 1
        if event["ph"] == "X" and event["tid"] == WAITS and nanoseconds(event["ts"]) < at:
            place += 1
    for event in events:
        if "ts" in event:
            last = moved(microseconds(end_of(event)))
            event["ts"] = moved(event["ts"])
            if "dur" in event:
                event["dur"] = microseconds(nanoseconds(last) - nanoseconds(event["ts"]))
    measured = other["measured"]
    measured["first_wait"] += place < measured["first_wait"] or at < nanoseconds(measured["begin_us"])
    measured["waits_end"] += place < measured["waits_end"] or at < nanoseconds(measured["end_us"])
    for where, key in ((measured, "begin_us"), (measured, "end_us"), (other, "program_end_us")):
        if key in where:
            where[key] = moved(where[key])
    waits = [i for i, event in enumerate(events) if event["ph"] == "X" and event["tid"] == WAITS]
    first_issue = next(i for i, event in enumerate(events) if event["ph"] == "X")
    events.insert(waits[place] if place < len(waits) else waits[-1] + 1 if waits else first_issue, {
        "ph": "X", "pid": 1, "tid": WAITS, "ts": microseconds(at), "dur": microseconds(lasts_ns), "cat": "wait,paused",
        "name": "paused", "args": {"kind": 48, "issued": issued, "through": issued}})


def held(path, draw, times):
    """Adds intervals to the trace file in which a lane was held although it could have begun an op."""
    trace = Trace(path)
    graph = Graph(trace)
    stood = []
    for op in trace.ops:
        if op.begin != PENDING and op.begin - graph.gate(op)[0] > 3:
            stood.append((FIRST_LANE + op.lane, graph.gate(op)[0], op.begin))
    draw.shuffle(stood)
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    for lane, begin, end in stood[:times]:
        since, until = sorted((draw.randint(begin, end), draw.randint(begin, end)))
        whole["traceEvents"].append({"ph": "X", "pid": 1, "tid": lane, "ts": microseconds(since),
                                     "dur": microseconds(until - since), "cat": "held", "name": "held by the learner"})
    with open(path, "w", encoding="utf-8") as file:
        json.dump(whole, file)


def touched(trace_path, to_path, seed):
    """Writes a copy of the trace with a few pauses and holds."""
    draw = random.Random(f"learner {seed}")
    with open(trace_path, encoding="utf-8") as file:
        whole = json.load(file)
    for _ in range(draw.randint(0, 3)):
        paused(whole, draw, draw.choice((1000, 50_000, 10_000_000)))
    with open(to_path, "w", encoding="utf-8") as file:
        json.dump(whole, file)
    held(to_path, draw, draw.randint(0, 3))
