"""A table of all lessons: predicted/measured and the frontend's unnamed share (medians of fresh runs on the CPU), the
same ratio on simulated, and the verdict of the lesson's own comparison.

    HEADWAY_RUNNER=build/release/headway-runner python3 tests/checker/table.py [--load] [--runs 20]

--load: runs two busy processes at the same time. Other load on the machine is ignored.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import tempfile

import lessons


def spin():
    while True:
        pass


def report_of(folder, *arguments):
    path = os.path.join(folder, "report.json")
    done = subprocess.run([lessons.RUNNER, *arguments, "--report", path], capture_output=True, stdin=subprocess.DEVNULL,
                          text=True, errors="replace", timeout=600, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()[-300:]}")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def row(folder, lesson, runs):
    name = lesson["id"]
    ratios, unnamed = [], []
    for _ in range(0 if name in lessons.TWO_DEVICES else runs):
        report = report_of(folder, "run", name, "--device", "cpu")
        ratios.append(report["predicted_ns"] / max(report["total_ns"], 1))
        unnamed.append(report["frontend"]["unnamed_ns"] / max(report["total_ns"], 1))
    simulated = report_of(folder, "run", name, "--device", "simulated")
    exact = simulated["predicted_ns"] / simulated["total_ns"]
    a, b = lessons.comparison(lesson)
    device = f" --device {lesson['device']}"
    verdict = report_of(folder, "compare", name, "--a", a + device, "--b", b + device)["verdict"]
    cells = ["–", "–", "–", "–"]
    if ratios:
        cells = [f"{median(ratios):.3f}", f"{min(ratios):.2f}–{max(ratios):.2f}", f"{100 * median(unnamed):.2f} %",
                 f"{100 * max(unnamed):.2f} %"]
    says = verdict["time"]["claim"]
    if verdict["time"]["subject"]:
        says = f"{verdict['time']['subject']} {says}"
    return [name, *cells, f"{exact:.6g}", lesson["device"], f"{says}: {verdict['sentence']}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--runs", type=int, default=20)
    chosen = parser.parse_args()
    busy = [multiprocessing.Process(target=spin, daemon=True) for _ in range(2 if chosen.load else 0)]
    for process in busy:
        process.start()
    rows = [["lesson", "predicted/measured", "least–most", "unnamed", "most", "simulated", "compared on", "verdict"]]
    try:
        with tempfile.TemporaryDirectory(prefix="headway-table-") as folder:
            rows += [row(folder, lesson, chosen.runs) for lesson in lessons.listed()]
    finally:
        for process in busy:
            process.kill()
    beside = "beside two busy processes" if busy else "nothing started beside them"
    print(f"{chosen.runs} fresh runs each on cpu, {beside}; load average {os.getloadavg()[0]:.1f} at the end")
    widths = [max(len(cells[i]) for cells in rows) for i in range(len(rows[0]) - 1)]
    for cells in rows:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(cells, widths)), cells[-1]]))


if __name__ == "__main__":
    main()
