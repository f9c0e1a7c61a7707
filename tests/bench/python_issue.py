#!/usr/bin/env python3
"""The cost of issuing y = x + 1 from Python, compared with the same loop without Headway: minimum of many repeats.

The loops run inside headway-runner with the line hook on, as users' programs do, and again in the system's
own Python without Headway. Only ratios are comparable between machines. They use the thread's own time, which
excludes time taken by other processes.

    tests/bench/python_issue.py [--build FOLDER] [--repeats N] [--quick] [--json]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# {name: (setup, statement)}; one statement per line, so that the line hook fires once for it and once for the loop.
LOOPS = {
    "empty loop": ("pass", "pass"),
    "float": ("x = 1.0", "y = x + 1"),
    "NumPy": ("import numpy; x = numpy.ones(2, numpy.float32)", "y = x + 1"),
    "Headway": ("import headway; x = headway.ones(1, 2)", "y = x + 1"),
    "Headway, mxnet": ("from mxnet import np; x = np.ones((1, 2))", "y = x + 1"),
}

LOOP = """
def loop_{index}():
    {setup}
    times = []
    for _ in range({repeats} + 1):
        begin, begin_cpu = perf_counter_ns(), thread_time_ns()
        for _ in range({n}):
            {statement}
        end_cpu, end = thread_time_ns(), perf_counter_ns()
        times.append([(end - begin) / {n}, (end_cpu - begin_cpu) / {n}])
        finish()
    return times[1:]


result["{name}"] = loop_{index}()
"""


def program(names, n, repeats, headway):
    head = "import json\nfrom time import perf_counter_ns, thread_time_ns\n"
    head += "import headway as hw\nfinish = hw.waitall\n" if headway else "def finish():\n    pass\n"
    loops = [LOOP.format(index=i, name=name, setup=LOOPS[name][0], statement=LOOPS[name][1], n=n, repeats=repeats)
             for i, name in enumerate(names)]
    return head + "result = {}\n" + "".join(loops) + "print(json.dumps(result))\n"


def run(command, text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "loops.py"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([*command, str(path)], capture_output=True, text=True, timeout=600)
        if "no Python frontend" in done.stderr:
            print("skipped: this build has no Python frontend")
            sys.exit(77)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed: {done.stderr.strip().splitlines()[-1] if done.stderr else '?'}")
        return json.loads(done.stdout.splitlines()[-1])


def have_numpy():
    return subprocess.run(["/usr/bin/python3", "-c", "import numpy"], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    root = Path(__file__).resolve().parents[2]
    parser.add_argument("--build", type=Path, default=root / "build" / "release")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="few ops: only that it runs")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    runner = options.build / "headway-runner"
    if not runner.exists():
        sys.exit(f"{runner} is not there; build it first")
    n, repeats = (500, 2) if options.quick else (10_000, options.repeats)
    numpy = ["NumPy"] if have_numpy() else []
    inside = [name for name in LOOPS if name != "NumPy"] + numpy
    outside = ["empty loop", "float", *numpy]
    times = {}
    for name, found in run([str(runner), "run"], program(inside, n, repeats, True)).items():
        times[name, "in Headway, line hook on"] = found
    for name, found in run(["/usr/bin/python3"], program(outside, n, repeats, False)).items():
        times[name, "plain Python"] = found
    rows = [{"loop": name, "where": where, "least_ns": min(wall for wall, _ in found),
             "median_ns": statistics.median(wall for wall, _ in found), "least_cpu_ns": min(cpu for _, cpu in found)}
            for (name, where), found in times.items()]
    least = {(row["loop"], row["where"]): row["least_cpu_ns"] for row in rows}
    mine = least["Headway", "in Headway, line hook on"]
    ratios = {"issue / plain empty loop": mine / least["empty loop", "plain Python"]}
    if numpy:
        # From 300 ns on a machine where NumPy's own y = x + 1 takes 660 ns: a ratio that holds on other machines.
        ratios["issue / NumPy's y = x + 1 (bar 0.45)"] = mine / least["NumPy", "plain Python"]
    if options.json:
        print(json.dumps({"n": n, "repeats": repeats, "cpus": os.cpu_count(), "rows": rows, "ratios": ratios}, indent=2))
        return 0
    print(f"ns per iteration of {n:,}, out of {repeats}: least time of the thread; least and median on the clock")
    for row in rows:
        print(f"  {row['least_cpu_ns']:6.0f}   {row['least_ns']:6.0f} {row['median_ns']:6.0f}   {row['loop']}, {row['where']}")
    for name, ratio in ratios.items():
        print(f"  {ratio:6.2f}   {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
