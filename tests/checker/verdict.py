"""Recomputes the verdict of `headway compare` from the rounds that its report lists, by the rules that
app/comparison/verdict.h states.

    python3 verdict.py REPORT.json
"""

import itertools
import json
import math
import sys

RUNS, P, LARGE, LARGE_OPS, OPS_APART, EXPLAINS = 5, 0.01, 2, 10, 1.25, 0.25
SAID = {"a": "the names of the sides", "b": "the names of the sides", "sentence": "words", "evidence": "words",
        "busy_runs": "an estimate, of which the report has only the middle run's",
        "unfinished": "follows from the times of ops, which the report does not list"}
# settings that must be equal for op times to be comparable
ALIKE = ("workers", "streams", "issue", "launch", "copies", "products")


def ranks(values):
    """The rank of each value; ties get their mean rank."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def rank_sum_p(a, b):
    """The exact two-sided p-value of the rank-sum test, over all assignments of the ranks."""
    all_ranks = ranks([*a, *b])
    observed = sum(all_ranks[:len(a)])
    below = above = ways = 0
    for chosen in itertools.combinations(all_ranks, len(a)):
        ways += 1
        below += sum(chosen) <= observed
        above += sum(chosen) >= observed
    return min(1.0, 2 * min(below, above) / ways)


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def whole(value):
    return math.floor(value + 0.5)


def weighted_median(pairs):
    """The weighted median of (value, weight) pairs."""
    half, seen = sum(weight for _, weight in pairs) / 2, 0
    for value, weight in sorted(pairs):
        seen += weight
        if seen >= half:
            return value
    return 1


class Equal:
    """Whether equal ops took equal times on both sides, from each run's median per signature."""

    def __init__(self, a, b):
        self.a, self.b = a, b
        self.ops = {}
        for name in a.keys() & b.keys():
            middle = (median(a[name]["median_ns"]), median(b[name]["median_ns"]))
            if min(middle) > 0:
                self.ops[name] = (*middle, max([*a[name]["count"], *b[name]["count"]]))

    def pace(self, side, run):
        pairs = [(side[name]["median_ns"][run] / math.sqrt(of_a * of_b), count * (of_a + of_b))
                 for name, (of_a, of_b, count) in self.ops.items()]
        return weighted_median(pairs)

    def verdict(self, runs):
        if not self.ops:
            return None
        logs = [(math.log(of_a / of_b), count * (of_a + of_b)) for of_a, of_b, count in self.ops.values()]
        ratio = (weighted_median(logs) - weighted_median([(-value, weight) for value, weight in logs])) / 2
        slow, fast = (self.a, self.b) if ratio >= 0 else (self.b, self.a)
        return {"matched": len(self.ops), "ratio": math.exp(abs(ratio)), "slower": "A" if ratio >= 0 else "B",
                "in_every_run": min(self.pace(slow, i) for i in range(runs)) > max(self.pace(fast, i)
                                                                                 for i in range(runs))}

    def excess_ns(self):
        return abs(sum(count * (of_a - of_b) for of_a, of_b, count in self.ops.values()))


def values_of(report, key):
    return report["repeat"][key]["each"] if "repeat" in report else [report[key]]


def measured(a, b):
    x, y = median(a), median(b)
    return {"claim": None, "subject": None, "ratio": max(x, y) / min(x, y) if min(x, y) > 0 else None, "p": None,
            "medians": {"a": whole(x), "b": whole(y)}, "spreads": {"a": [min(a), max(a)], "b": [min(b), max(b)]}}


def claim(found, a, b, simulated, least_apart, word):
    """Adds a claim if the values are exact, pass the test, or differ by much."""
    x, y = median(a), median(b)
    larger = "A" if x >= y else "B"
    runs = min(len(a), len(b))
    none = "no measurable difference"
    if simulated and len(set(a)) == len(set(b)) == 1:
        found["claim"], found["subject"] = (none, None) if x == y else (word, larger)
    elif runs >= RUNS:
        found["p"] = rank_sum_p(a, b)
        above, below = sum(v > w for v in a for w in b), sum(v < w for v in a for w in b)
        apart = found["p"] <= P and (x > y and above > below or x < y and above < below)
        found["claim"], found["subject"] = (word, larger) if apart else (none, None)
    else:
        high, low = (a, b) if larger == "A" else (b, a)
        if least_apart is not None and min(high) >= LARGE * max(low) and min(high) - max(low) >= max(least_apart, 1):
            found["claim"], found["subject"] = word, larger
        else:
            found["claim"] = "one run says nothing" if runs == 1 else "too few runs"


def verdict_of(report):
    a, b = report["a"], report["b"]
    simulated = a["device"]["simulated"] and b["device"]["simulated"]
    total, memory, headway = ((values_of(a, key), values_of(b, key))
                              for key in ("total_ns", "live_bytes_peak", "headway_max"))
    runs = min(len(total[0]), len(total[1]))
    own = {"runs": runs, "simulated": simulated, "time": measured(*total), "memory": measured(*memory),
           "headway": measured(*headway), "equal_ops": None, "reason": None,
           "races": {side: bool(report[side].get("races")) for side in "ab"},
           "ops": {side: whole(median(values_of(report[side], "ops"))) for side in "ab"}}
    claim(own["memory"], *memory, simulated, 0, "more")
    claim(own["headway"], *headway, simulated, LARGE_OPS, "more")
    time = own["time"]
    if a["device"]["simulated"] != b["device"]["simulated"]:
        time["claim"], own["reason"] = "not comparable", "one clock is virtual, the other real"
        time["ratio"] = None
        return own
    alike = (a["device"]["kind"], a["device"]["name"]) == (b["device"]["kind"], b["device"]["name"]) and all(
        a["settings"].get(key) == b["settings"].get(key) for key in ALIKE)
    if not simulated and runs > 1 and alike:
        equal = Equal(a["repeat"]["op_times"], b["repeat"]["op_times"])
        own["equal_ops"] = equal.verdict(runs)
        apart = abs(median(total[0]) - median(total[1]))
        if equal.ops and own["equal_ops"]["ratio"] > OPS_APART and equal.excess_ns() >= EXPLAINS * apart:
            time["claim"] = "not comparable"
            own["reason"] = ("equal ops took unequal times in every run" if own["equal_ops"]["in_every_run"] else
                             "equal ops took unequal times, but not in every run, as on a busy machine")
            return own
    claim(time, *total, simulated, None, "faster")
    if time["subject"]:
        time["subject"] = "B" if time["subject"] == "A" else "A"  # the faster side
    return own


def near(said, own):
    if isinstance(said, float) or isinstance(own, float):
        return abs(said - own) <= 1e-9 * max(abs(said), abs(own))
    return said == own


def differences(report):
    """(how many were compared, [(key, the report's value, the recomputed value)]) of a comparison's report."""
    found, compared = [], 0

    def walk(key, said, own):
        nonlocal compared
        if isinstance(said, dict) and isinstance(own, dict):
            for name in {**said, **own}:
                if key or name not in SAID:
                    walk(f"{key}.{name}", said.get(name, "(absent)"), own.get(name, "(unchecked)"))
            return
        compared += 1
        if (said is None) != (own is None) or (said is not None and not near(said, own)):
            found.append((key, said, own))

    verdict = dict(report["verdict"])
    waits = verdict.pop("waits")
    walk("", verdict, verdict_of(report))
    for side in "ab":
        # The median run represents its side; of the others only the numbers are known.
        of_side = report[side]
        counted = sum(wait["kind"] not in ("queue_limit", "memory", "paused") for wait in of_side["waits"])
        if report["runs"] == 1:
            walk(f"waits.{side}", waits[side], counted)
        for key, said, own in repeats(of_side):
            walk(f"{side}.{key}", said, own)
    return compared, found


def repeats(report):
    """(key, the report's value, the recomputed value) of a report's numbers on repeated runs."""
    if "repeat" not in report:
        return
    repeat = report["repeat"]
    totals = repeat["totals_ns"]
    yield "totals_ns", totals, repeat["total_ns"]["each"]
    yield "runs", repeat["runs"], len(totals)
    order = sorted(range(len(totals)), key=lambda i: totals[i])
    middle = order[(len(order) - 1) // 2]
    for name, of in repeat.items():
        if isinstance(of, dict) and "each" in of:
            known = None not in of["each"]
            yield f"{name}.median", of["median"], whole(median(of["each"])) if known else None
            yield f"{name}.least", of["least"], min(of["each"]) if known else None
            yield f"{name}.most", of["most"], max(of["each"]) if known else None
            if of["each"][middle] is not None:
                yield f"{name} of the run in the middle", report[name], of["each"][middle]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        compared, found = differences(json.load(file))
    for key, said, own in found:
        print(f"{key}: the report says {said}, the rounds {own}")
    print(f"{compared} values compared, {len(found)} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
