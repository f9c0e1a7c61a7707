"""Divides the frontend's time: issues, waits and pauses as recorded; the time between them from the costs that the
frontend measured on a sample of events (rules: app/model/description/frontend_time.h)."""

import math

from graph import spread

STALL = 8       # times the median: the part of a sample above it is not extrapolated to other events
DEVIATIONS = 2  # standard deviations of a mean
STAMP_UNITS = 16
RECORDING, DROP, NO_CORE, NO_CORE_ISSUING, TOTALS = 1, 2, 3, 4, 5


def rounded(value):
    return math.floor(value + 0.5)


class Measured:
    """Sampled costs of events of one kind."""

    def __init__(self):
        self.events = []  # [begin, ns, weight]

    def less(self, since, ns):
        if self.events and self.events[-1][0] >= since:
            self.events[-1][1] = max(self.events[-1][1] - ns, 0)

    def sum(self, count):
        """The estimated sum over `count` events, and its uncertainty."""
        alone = [ns for _, ns, weight in self.events if weight <= 1]
        samples = [(ns, weight) for _, ns, weight in self.events if weight > 1]
        typical = sorted([ns for ns, _ in samples] or alone)
        if not typical:
            return 0, 0
        most = STALL * max(typical[(len(typical) - 1) // 2], 1)
        typical = [min(ns, most) for ns in typical]
        mean = sum(typical) / len(typical)
        variance = sum((ns - mean) ** 2 for ns in typical) / len(typical)
        total = sum(alone) + sum(weight * min(ns, most) + max(ns - most, 0) for ns, weight in samples)
        rest = max(count - len(alone) - sum(weight for _, weight in samples), 0)
        squares = sum((weight - 1) ** 2 for _, weight in samples) + rest * rest / len(typical)
        return total + rest * mean, DEVIATIONS * math.sqrt(squares * variance)

    def each(self):
        ordered = [e for e in self.events if e[2] <= 1] + [e for e in self.events if e[2] > 1]
        return spread([rounded(ns) for _, ns, _ in ordered])


def divided(trace, sums):
    length = trace.end - trace.begin
    records, drops = Measured(), Measured()
    last = records
    stamps = []
    sampling = no_core = no_core_issuing = 0
    language = {True: 0, False: 0}  # key: whether it is before the measured part
    faults = {True: None, False: None}
    for cost in trace.costs:
        kind, begin, before = cost.more["kind"], cost.begin, cost.begin <= trace.begin
        if kind in (TOTALS, RECORDING):
            language[before] = cost.more["language_ns"]
        if kind == TOTALS:
            faults[before] = (cost.more["minor_faults"], cost.more["major_faults"])
        if begin >= trace.end and length > 0:
            break
        if begin < trace.begin:
            continue
        sampling += cost.more["sampling_ns"]
        took, stamp = cost.end - begin, cost.more["stamp_ns"]
        if kind == RECORDING:
            records.events.append([begin, took, cost.more["weight"]])
            stamps.append(rounded(stamp * STAMP_UNITS))
            last = records
        elif kind == DROP:
            drops.events.append([begin, max(took - stamp, 0), cost.more["weight"]])
            last = drops
        elif kind in (NO_CORE, NO_CORE_ISSUING):
            ns = min(cost.more["without_core_ns"], took)
            if kind == NO_CORE:
                no_core += ns
            else:
                no_core_issuing += ns
            last.less(begin, ns)

    # From the issues, subtract the language's share, times without a core, and clock readings.
    issue = sums.issue_ns
    in_language = min(max(language[False] - language[True], 0), issue)
    issue -= in_language
    stalled = min(no_core_issuing, issue)
    issue -= stalled
    issues = [op for op in trace.measured_ops() if op.issued]
    stamp = sorted(stamps)[int(0.1 * (len(stamps) - 1))] / STAMP_UNITS if stamps else 0
    stamping = min(stamp * len(issues), issue)
    issue -= stamping

    # Between the records.
    left = max(length - sums.issue_ns - sums.blocked_ns - sums.paused_ns, 0) + in_language
    works = [work for work in trace.works if min(work.end, trace.end) > max(work.begin, trace.begin)]
    record, open = records.sum(len(issues) + len(works) + trace.waits_end - trace.first_wait)
    dropped = drop_open = 0
    if drops.events:
        dropped, drop_open = drops.sum(sum(trace.begin <= ns < trace.end for ns, _, _ in trace.drops))
    record += sampling
    wanted = record + dropped + no_core
    fits = left / wanted if wanted > left else 1
    left -= wanted * fits
    spans = [(op.issue_end) for op in issues] + [w.end for w in trace.measured_waits()] + [w.end for w in works]
    after = max(trace.end - max([trace.begin, *spans]), 0)
    named = left if trace.other["lost_records"] == 0 else min(left, sums.work_ns)
    unnamed = min(left, max(open + drop_open, left - named) + after)
    parts = {"issue_ns": rounded(issue), "drop_ns": rounded(dropped * fits), "wait_ns": sums.blocked_ns,
             "record_ns": rounded(record * fits + stamping), "descheduled_ns": rounded(no_core * fits + stalled),
             "paused_ns": sums.paused_ns, "unnamed_ns": rounded(unnamed)}
    parts["work_ns"] = max(length - sum(parts.values()), 0)
    found = None
    if None not in faults.values():
        found = {"minor": faults[False][0] - faults[True][0], "major": faults[False][1] - faults[True][1]}
    return parts, {"record_each": records.each(), "drop_each": drops.each()}, found


def check(checker):
    """The parts must add up exactly; estimates may differ by rounding, because fractions are added in another order."""
    report = checker.report["frontend"]
    parts, each, faults = divided(checker.trace, checker.sums)
    checker.seen.add("frontend")
    checker.frontend = parts
    for key in {**parts, **each, **report}:
        if key in parts and key in report:
            checker.near("frontend." + key, report[key], parts[key], 2)
        else:
            checker.equal("frontend." + key, report.get(key, "(absent)"), each.get(key, "(unchecked)"))
    total = sum(ns for key, ns in report.items() if key.endswith("_ns"))
    checker.equal("frontend, sum", total, checker.sums.total_ns + checker.sums.paused_ns)
    checker.top("frontend_page_faults", faults)
    checker.top("issue_ns", report["issue_ns"])
    checker.seen.add("recorder_ns")
    checker.equal("recorder_ns", checker.report["recorder_ns"], report["record_ns"])
