"""The part of the benchmark table that a user experiences: y = x + 1, n times, each time in a new process.

Headway runs its own program `increment` with all that a user's run has: the recording in fresh memory, the thread that
prepares it, the report. The peers run the same loop as workload (a). All take turns, so that a slow minute of the
machine meets all of them, and nothing is pinned to a core. Medians are compared: a least of many would hide what a
fresh process pays now and then.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

N = 1_000_000
PEERS = {  # peer -> the program that runs it
    "GCC OpenMP": "bench_openmp",
    "oneTBB task_group": "bench_tbb",
    "oneTBB flow graph": "bench_tbb",
}
RATIO_BAR = 0.30


def checked(command, environment):
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def run_headway(runner, n, environment):
    """The results of one run; times are in ns per op."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        checked([str(runner), "run", "increment", "--device", "cpu", "--set", f"n={n}", "--report", str(path)], environment)
        report = json.loads(path.read_text(encoding="utf-8"))
    frontend, faults = report["frontend"], report["frontend_page_faults"] or {"minor": 0, "major": 0}
    away = frontend["wait_ns"] + frontend["descheduled_ns"]
    return {"e2e": report["total_ns"] / n, "processor": (report["total_ns"] - away) / n, "record": frontend["record_ns"] / n,
            "descheduled": frontend["descheduled_ns"] / n, "page_faults": faults["minor"] + faults["major"]}


def run_peer(program, peer, n, environment):
    quick = ["--quick"] if n < N else []
    line = json.loads(checked([str(program), "--fresh", "--workload", "a1m", "--peer", peer, *quick], environment))
    return {"e2e": line["e2e"][0], "processor": line["processor"], "page_faults": line["page_faults"]}


def collect(build, rounds, environment, quick=False):
    """{peer: [results of each run]}; peers that are not built are left out."""
    runner = build / "headway-runner"
    n = N // 1000 if quick else N
    if not runner.exists():
        return {}
    found = {"headway run increment": []} | {peer: [] for peer, program in PEERS.items() if (build / program).exists()}
    for number in range(1 if quick else rounds):
        for peer, runs in found.items():
            if sys.stderr.isatty():
                print(f"\r\033[Kfresh process {number + 1} of {rounds}: {peer}", end="", file=sys.stderr)
            runs.append(run_peer(build / PEERS[peer], peer, n, environment) if peer in PEERS else
                        run_headway(runner, n, environment))
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return found


def summary(runs):
    """Quartiles of the runs' times and medians of their other results."""
    times = sorted(run["e2e"] for run in runs)
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else times * 3
    result = {"runs": len(runs), "e2e_p25": low, "e2e_median": middle, "e2e_p75": high,
              "processor_median": statistics.median(run["processor"] for run in runs),
              "page_faults": statistics.median(run["page_faults"] for run in runs)}
    for part in ("record", "descheduled"):
        if part in runs[0]:
            result[part + "_median"] = statistics.median(run[part] for run in runs)
    if "record" in runs[0]:
        result["record_share"] = statistics.median(run["record"] / run["e2e"] for run in runs if run["e2e"] > 0)
    return result


def judged(found):
    """(measured, bar, detail) of the ratio of Headway's time to the fastest peer's; measured is None without a peer."""
    medians = {peer: summary(runs)["e2e_median"] for peer, runs in found.items()}
    mine = medians.pop("headway run increment", None)
    who = min(medians, key=medians.get, default=None)
    if mine is None or who is None or medians[who] == 0:
        return None, RATIO_BAR, ""
    return mine / medians[who], RATIO_BAR, f"{mine:.4g} against {medians[who]:.4g} ns, {who}"


def lines(found):
    """The printed part of the table."""
    if not found:
        return []
    runs = len(next(iter(found.values())))
    result = [f"in fresh processes, {runs} of each in turn: ns per op (quartiles), of these processor time of the frontend, "
              "its page faults in all"]
    for peer, of_peer in found.items():
        row = summary(of_peer)
        text = f"  {peer:<24} {row['e2e_p25']:7.1f} {row['e2e_median']:7.1f} {row['e2e_p75']:7.1f} "
        text += f"{row['processor_median']:9.1f} {row['page_faults']:7.0f}"
        if "record_share" in row:
            text += (f"   recording {row['record_median']:.1f} ns ({row['record_share']:.0%}), "
                     f"without a core {row['descheduled_median']:.1f} ns")
        result.append(text)
    return result
