#!/usr/bin/env python3
"""Compares Headway's CUDA device with PyTorch on the same GPU: the chapter's measurements, issue and total.

    peer_torch_gpu.py RUNNER [--repeats N] [--json FILE]

Both run every workload alternately, several times; the minimum of each counts, and only
ratios are judged. Without a GPU or without PyTorch, prints the reason and exits with status 77 (skipped).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIP = 77

# Headway's programs; the part after measure() corresponds to PyTorch's timed code below. The training loop is the
# built-in program.
PROGRAMS = {
    "product": """
import headway as hw
for _ in range(10):
    b = hw.randn(1000, 1000) @ hw.randn(1000, 1000)
hw.waitall()
hw.measure()
for _ in range(10):
    a = hw.randn(1000, 1000)
    b = a @ a
hw.waitall()
""",
    "increment": """
import headway as hw
x = hw.ones(1, 2)
for _ in range(1000):
    y = x + 1
hw.waitall()
hw.measure()
for _ in range(10000):
    y = x + 1
hw.waitall()
""",
}
TRAIN = {"batches": 60, "batch_size": 256, "hidden": 512}
# workload -> greatest allowed ratio to PyTorch's time of (issue, total)
BARS = {"product": (0.2, 1.0), "increment": (0.2, 1.0), "train": (None, 1.1)}


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIP)


def headway(runner, program, *options):
    """(issue, total) of the measured part in nanoseconds, and the device's name."""
    with tempfile.TemporaryDirectory(prefix="headway-bench-") as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run([runner, "run", program, "--device", "cuda", "--barrier", "none", "--report", report,
                               *options], capture_output=True, text=True)
        if done.returncode == 3:
            skip(done.stderr.strip().removeprefix("headway: "))
        if done.returncode != 0:
            sys.exit(f"headway run {program} failed: {done.stderr.strip()}")
        numbers = json.loads(report.read_text())
        return (numbers["issue_ns"], numbers["total_ns"]), numbers["device"]["name"]


def torch_times(torch):
    device = torch.device("cuda")

    def timed(work):
        torch.cuda.synchronize()
        begin = time.perf_counter_ns()
        work()
        issued = time.perf_counter_ns()
        torch.cuda.synchronize()
        return issued - begin, time.perf_counter_ns() - begin

    def product():
        for _ in range(10):
            a = torch.randn(size=(1000, 1000), device=device)
            torch.mm(a, a)

    x = torch.ones((1, 2), device=device)

    def increment():
        for _ in range(10000):
            x + 1  # noqa: B018 — the result is dropped, as in the chapter

    batch, hidden = TRAIN["batch_size"], TRAIN["hidden"]
    net = torch.nn.Sequential(
        torch.nn.Linear(512, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, hidden // 4), torch.nn.ReLU(),
        torch.nn.Linear(hidden // 4, 1)).to(device)
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01)

    def train():
        for _ in range(TRAIN["batches"]):
            inputs, labels = torch.randn(batch, 512, device=device), torch.ones(batch, 1, device=device)
            optimiser.zero_grad()
            loss = ((net(inputs) - labels) ** 2).mean() / 2
            loss.backward()
            optimiser.step()

    for work in (product, increment, train):
        work()  # warm-up
    return {"product": lambda: timed(product), "increment": lambda: timed(increment), "train": lambda: timed(train)}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("runner")
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--json")
    options = options.parse_args()
    runner = os.path.abspath(options.runner)
    # Check the device first: a machine without a GPU need not have PyTorch.
    with tempfile.TemporaryDirectory(prefix="headway-bench-") as folder:
        programs = {}
        for name, text in PROGRAMS.items():
            path = Path(folder) / (name + ".py")
            path.write_text(text)
            programs[name] = (str(path), [])
        programs["train"] = ("train", [word for k, v in TRAIN.items() for word in ("--set", f"{k}={v}")])
        _, device = headway(runner, *[programs["product"][0]])
        try:
            import torch
        except ImportError as problem:
            skip(f"PyTorch is not installed ({problem})")
        if not torch.cuda.is_available():
            skip("this PyTorch sees no GPU")
        peers = torch_times(torch)
        least = {}
        for _ in range(options.repeats):
            for name, (program, words) in programs.items():
                for who, times in (("headway", headway(runner, program, *words)[0]), ("torch", peers[name]())):
                    known = least.setdefault((name, who), times)
                    least[name, who] = tuple(map(min, known, times))

    print(f"{device}; PyTorch {torch.__version__}; least of {options.repeats}")
    rows, good = [], True
    for name, (issue_bar, total_bar) in BARS.items():
        ours, theirs = least[name, "headway"], least[name, "torch"]
        for what, index, bar in (("issue", 0, issue_bar), ("total", 1, total_bar)):
            ratio = ours[index] / max(theirs[index], 1)
            met = bar is None or ratio <= bar
            good = good and met
            rows.append({"workload": name, "what": what, "headway_ns": ours[index], "torch_ns": theirs[index],
                         "ratio": ratio, "bar": bar})
            print(f"  {name:10} {what:6} {ours[index] / 1e6:10.3f} ms {theirs[index] / 1e6:10.3f} ms"
                  f" {ratio:8.3f}" + ("" if bar is None else f"  bar {bar:g}: {'met' if met else 'MISSED'}"))
    if options.json:
        Path(options.json).write_text(json.dumps({"device": device, "torch": torch.__version__, "rows": rows}, indent=2))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
