#!/usr/bin/env python3
"""The benchmark table: Headway's queue and its peers, in one run, and the goals as ratios.

Every workload is run by all peers one after the other, and that several times over, so that a slow minute of the machine
meets all of them. The table gives the least and the median over all repetitions; goals compare the least. Clocks are
this machine's; only ratios travel.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import fresh  # noqa: E402

# program -> (what it measures, the package that it needs)
PROGRAMS = {
    "bench_limits": ("limits of the machine", None),
    "bench_queue": ("Headway", None),
    "bench_openmp": ("GCC OpenMP", "g++"),
    "bench_tbb": ("oneTBB", "libtbb-dev"),
    "bench_starpu": ("StarPU", "libstarpu-dev"),
    "bench_torch": ("libtorch", "libtorch-dev"),
    "peer_numpy.py": ("NumPy", "python3-numpy"),
}
WORKLOADS = {
    "record": "two ticks and a 32-byte record",
    "round_trip": "spin round trip between two cores",
    "a10k": "(a) 10,000 times y = x + 1 on two floats, a fresh y whose handle is dropped",
    "a1m": "(a) the same 1,000,000 times",
    "b": "(b) a chain x = x + 1, 1,000,000 long",
    "c": "(c) 1,000,000 ops that do nothing",
    "d": "(d) (a) with a wait after each",
    "e_sync": "(e) 10 times randn and product of 1000², a wait after each",
    "e_async": "(e) the same, one wait at the end",
    "f": "(f) one op after 2 ms idle, then a wait",
}
COLUMNS = [("a10k", "issue"), ("a10k", "e2e"), ("a1m", "issue"), ("a1m", "e2e"), ("b", "issue"), ("b", "e2e"),
           ("c", "issue"), ("c", "e2e"), ("d", "e2e"), ("e_sync", "e2e"), ("e_async", "e2e"), ("f", "e2e")]
DISTURBED_PERCENT = 12


class Row:
    """The results of one peer under one workload; times are in nanoseconds per op."""

    def __init__(self, line):
        self.peer, self.workload, self.n, self.note = line["peer"], line["workload"], line["n"], line["note"]
        self.samples = {"issue": [], "e2e": []}
        self.growth_bytes = self.foreign_percent = 0
        self.trace_bytes_per_op = 0.0
        self.add(line)

    def add(self, line):
        self.samples["issue"] += line["issue"]
        self.samples["e2e"] += line["e2e"]
        self.growth_bytes = max(self.growth_bytes, line["rss_growth_bytes"])
        self.foreign_percent = max(self.foreign_percent, line["foreign_percent"])
        self.trace_bytes_per_op = max(self.trace_bytes_per_op, line["trace_bytes_per_op"])

    def least(self, what):
        return min(self.samples[what])

    def median(self, what):
        return statistics.median(self.samples[what])

    def as_json(self):
        return {"peer": self.peer, "workload": self.workload, "n": self.n, "issue_min": self.least("issue"),
                "issue_median": self.median("issue"), "e2e_min": self.least("e2e"), "e2e_median": self.median("e2e"),
                "rss_growth_bytes": self.growth_bytes, "trace_bytes_per_op": self.trace_bytes_per_op,
                "foreign_percent": self.foreign_percent, "note": self.note}


class Goal:
    """One goal. `measured` is None if a row that it needs is missing."""

    def __init__(self, text, measured, bar, detail=""):
        self.text, self.measured, self.bar, self.detail = text, measured, bar, detail

    @property
    def met(self):
        return None if self.measured is None else self.measured <= self.bar

    def as_json(self):
        return {"goal": self.text, "measured": self.measured, "bar": self.bar, "met": self.met, "detail": self.detail}


def goals(rows):
    """The goals, evaluated on {(peer, workload): Row}."""

    def least(peer, workload, what="e2e"):
        row = rows.get((peer, workload))
        return None if row is None else row.least(what)

    def cheapest(workload, what):
        found = [(row.least(what), peer) for (peer, load), row in rows.items()
                 if load == workload and peer.startswith(("GCC OpenMP", "oneTBB"))]
        return min(found, default=(None, ""))

    def ratio(a, b):
        return None if a is None or not b else a / b

    def versus(a, b, who=""):
        return "" if a is None or b is None else f"{a:.4g} against {b:.4g} ns{who and ', ' + who}"

    judged = []
    mine, (other, who) = least("Headway", "a10k", "issue"), cheapest("a10k", "issue")
    judged.append(Goal("issue (a, 10k) / cheapest of OpenMP, oneTBB", ratio(mine, other), 0.40,
                       versus(mine, other, who)))
    mine, (other, who) = least("Headway", "a1m"), cheapest("a1m", "e2e")
    judged.append(Goal("end to end (a, 1M) / cheapest of OpenMP, oneTBB", ratio(mine, other), 0.30,
                       versus(mine, other, who)))
    mine, other = least("Headway", "d"), least("limit", "round_trip")
    judged.append(Goal("wait after each (d) / spin round trip", ratio(mine, other), 2.0, versus(mine, other)))
    other = least("libtorch", "a10k")
    judged.append(Goal("wait after each (d) / libtorch op", ratio(mine, other), 0.15, versus(mine, other)))
    recorded, plain = least("Headway", "a10k", "issue"), least("Headway, not recording", "a10k", "issue")
    mine = None if recorded is None or plain is None else max(0.0, recorded - plain)
    other = least("limit", "record")
    judged.append(Goal("recorder, per op / two ticks and a 32-byte record", ratio(mine, other), 1.2,
                       versus(mine, other)))
    row = rows.get(("Headway", "a1m"))
    judged.append(Goal("trace bytes per op (a, 1M)", row and row.trace_bytes_per_op, 64))
    row = rows.get(("Headway, at most 16k queued", "a1m"))
    judged.append(Goal("growth over (a, 1M) beyond the trace, at most 16k queued, MiB", row and row.growth_bytes / 2**20, 4))
    mine, other = least("Headway", "e_sync"), least("kernels alone", "e_sync")
    judged.append(Goal("(e) waiting each time / kernels alone", ratio(mine, other), 1.03, versus(mine, other)))
    other = least("libtorch", "e_sync")
    judged.append(Goal("(e) waiting each time / libtorch", ratio(mine, other), 1.0, versus(mine, other)))
    one = least("Headway", "a1m")
    for lanes in (2, 4):
        many = least(f"Headway, {lanes} lanes", "a1m")
        judged.append(Goal(f"end to end (a, 1M): {lanes} lanes / 1 lane", ratio(many, one), 1.5, versus(many, one)))
    return judged


def short(ns, workload):
    """Formats a time: products in ms, the op after idle in µs, everything else in ns."""
    value = ns / 1e6 if workload.startswith("e_") else ns / 1e3 if workload == "f" else ns
    if value >= 100_000:
        return f"{value / 1000:.0f}k"
    if value >= 9_999.5:
        return f"{value / 1000:.1f}k"
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}"


def table(rows):
    """The lines of the table; a cell is minimum/median."""
    peers = list(dict.fromkeys(peer for peer, _ in rows))
    peers = [peer for peer in peers if any((peer, workload) in rows for workload, _ in COLUMNS)]
    units = {"e_sync": "ms", "e_async": "ms", "f": "µs"}
    head = ["ns per op"] + [f"{workload} {what}" + (f", {units[workload]}" if workload in units else "")
                            for workload, what in COLUMNS] + ["RSS+ a1m, MiB"]
    lines = [head]
    for peer in peers:
        cells = [peer]
        for workload, what in COLUMNS:
            row = rows.get((peer, workload))
            cells.append("–" if row is None else
                         f"{short(row.least(what), workload)}/{short(row.median(what), workload)}")
        row = rows.get((peer, "a1m"))
        cells.append("–" if row is None else f"{row.growth_bytes / 2**20:.1f}")
        lines.append(cells)
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return ["  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                      for column, (cell, width) in enumerate(zip(line, widths))) for line in lines]


def command_of(program, build):
    """The command line of a program, or None if it is not available."""
    if program.endswith(".py"):
        script = Path(__file__).with_name(program)
        for interpreter in dict.fromkeys(("/usr/bin/python3", sys.executable)):
            if Path(interpreter).exists() and subprocess.run([interpreter, "-c", "import numpy"], check=False,
                                                             capture_output=True).returncode == 0:
                return [interpreter, str(script)]
        return None
    path = build / program
    return [str(path)] if path.exists() else None


def run(command, environment):
    """The JSON lines of one call. Raises an error if the program fails."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def collect(options, environment):
    """({(peer, workload): Row}, names of missing programs)."""
    commands, absent = {}, []
    for program, (name, package) in PROGRAMS.items():
        command = command_of(program, options.build)
        if command is None:
            absent.append(name + (f" ({package})" if package else ""))
        else:
            commands[program] = command
    offers = {program: {line["workload"] for line in run(command + ["--list"], environment)}
              for program, command in commands.items()}
    flags = ["--repeats", str(options.repeats), "--quiet-seconds", str(options.quiet_seconds)]
    flags += ["--quick"] if options.quick else []

    rows = {}
    wanted = [name for name in options.workload or WORKLOADS if name != "fresh"]
    for number in range(1 if options.quick else options.rounds):
        for workload in wanted:
            for program, command in commands.items():
                if workload not in offers[program]:
                    continue
                if sys.stderr.isatty():
                    print(f"\r\033[Kround {number + 1}: {workload}, {PROGRAMS[program][0]}", end="", file=sys.stderr)
                for line in run(command + flags + ["--workload", workload], environment):
                    key = (line["peer"], line["workload"])
                    if key in rows:
                        rows[key].add(line)
                    else:
                        rows[key] = Row(line)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    order = [name for name in ("limit", "kernels alone", "direct call")]
    return dict(sorted(rows.items(), key=lambda item: item[0][0] not in order)), absent


def machine():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            name = next(line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        name = os.uname().machine
    return f"{name}, {os.cpu_count()} cores"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path(__file__).parents[2] / "build" / "release")
    parser.add_argument("--rounds", type=int, default=3, help="how often each program is started per workload")
    parser.add_argument("--repeats", type=int, default=7, help="repetitions in each start")
    parser.add_argument("--quiet-seconds", type=float, default=20, help="how long to wait for the machine to be quiet")
    parser.add_argument("--fresh-rounds", type=int, default=15, help="fresh processes of `increment` and of each peer")
    parser.add_argument("--workload", action="append", choices=[*WORKLOADS, "fresh"])
    parser.add_argument("--quick", action="store_true", help="few ops, once: does it run at all; the times mean nothing")
    parser.add_argument("--json", metavar="FILE", help="also write everything here, - for stdout in place of the table")
    options = parser.parse_args()

    environment = {name: value for name, value in os.environ.items() if name not in ("OPENBLAS_CORETYPE",)}
    environment |= {"OPENBLAS_NUM_THREADS": "1", "STARPU_SILENT": "1"}
    try:
        rows, absent = collect(options, environment)
        wanted = options.workload is None or "fresh" in options.workload
        in_fresh = fresh.collect(options.build, options.fresh_rounds, environment, options.quick) if wanted else {}
    except RuntimeError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    judged = [] if options.quick else goals(rows)
    if in_fresh and not options.quick:
        judged.append(Goal("(a, 1M) in fresh processes, medians / cheapest of OpenMP, oneTBB", *fresh.judged(in_fresh)))
    result = {"machine": machine(), "quick": options.quick, "absent": absent,
              "rows": [row.as_json() for row in rows.values()], "goals": [goal.as_json() for goal in judged],
              "fresh": {peer: fresh.summary(runs) | {"e2e": [run["e2e"] for run in runs]} for peer, runs in in_fresh.items()}}
    if options.json and options.json != "-":
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if options.json == "-":
        print(json.dumps(result, indent=1))
        return 0

    print(result["machine"] + ("; a trial, whose times mean nothing" if options.quick else
                               f"; least/median of {options.rounds} starts × {options.repeats} repetitions"))
    for name, text in WORKLOADS.items():
        print(f"  {name:<10} {text}")
    print()
    if rows:
        print("\n".join(table(rows)))
        print()
    for line in fresh.lines(in_fresh):
        print(line)
    for (peer, workload), row in rows.items():
        if peer == "limit":
            print(f"limit: {WORKLOADS[workload]}: {row.least('e2e'):.1f}/{row.median('e2e'):.1f} ns")
    for name in absent:
        print(f"left out, not built here: {name}")
    disturbed = [] if options.quick else [f"{peer} {workload} ({row.foreign_percent}%)" for (peer, workload), row in rows.items()
                 if row.foreign_percent >= DISTURBED_PERCENT]
    if disturbed:
        print("disturbed by other processes: " + ", ".join(disturbed))
    if judged:
        print("\ngoals (minima, where nothing else is said)")
    for goal in judged:
        verdict = {None: "not judged", True: "met", False: "NOT MET"}[goal.met]
        value = "–" if goal.measured is None else f"{goal.measured:.3g}"
        print(f"  {verdict:<10} {value:>7} ≤ {goal.bar:<5} {goal.text}" + (f" ({goal.detail})" if goal.detail else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
