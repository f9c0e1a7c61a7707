#!/usr/bin/env python3
"""NumPy: an op runs at the call, so issuing it takes as long as the whole. Options and output as in harness.h."""

import argparse
import json
import os
import statistics
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402

PEER = "NumPy"


def status_bytes(key):
    with open("/proc/self/status", encoding="ascii") as status:
        return next((int(line.split()[1]) * 1024 for line in status if line.startswith(key + ":")), 0)


def foreign_busy_s():
    with open("/proc/stat", encoding="ascii") as stat:
        fields = [int(word) for word in stat.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK") - time.process_time()


def wait_until_quiet(seconds):
    end = time.monotonic() + seconds
    while True:
        before = foreign_busy_s()
        time.sleep(0.1)
        if foreign_busy_s() - before < 0.02 or time.monotonic() > end:
            return


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--workload", action="append")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--quiet-seconds", type=float, default=20)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    x = np.ones(2, np.float32)
    generator = np.random.default_rng(0)

    def fresh(n):
        for _ in range(n):
            y = x + 1  # noqa: F841

    def chain(n):
        z = x
        for _ in range(n):
            z = z + 1

    def products(n):
        for _ in range(n):
            p = generator.standard_normal((1000, 1000), dtype=np.float32)
            q = p @ p  # noqa: F841

    rows = [("a10k", 10_000, fresh), ("a1m", 1_000_000, fresh), ("b", 1_000_000, chain), ("d", 10_000, fresh),
            ("e_sync", 10, products)]
    for workload, ops, body in rows:
        if options.workload and workload not in options.workload:
            continue
        if options.list:
            print(json.dumps({"peer": PEER, "workload": workload}))
            continue
        n = max(2, ops // 1000) if options.quick else ops
        if not options.quick:
            wait_until_quiet(options.quiet_seconds)
        times, growth = [], 0
        foreign, begin_s = foreign_busy_s(), time.monotonic()
        for _ in range(2 if options.quick else options.repeats):
            try:
                with open("/proc/self/clear_refs", "w", encoding="ascii") as reset:
                    reset.write("5")
            except OSError:
                pass
            before = status_bytes("VmRSS")
            begin = time.perf_counter_ns()
            body(n)
            times.append((time.perf_counter_ns() - begin) / n)
            growth = max(growth, status_bytes("VmHWM") - before)
        seconds = time.monotonic() - begin_s
        percent = max(0.0, foreign_busy_s() - foreign - 0.02) / seconds * 100 if seconds >= 0.2 else 0
        least, median = min(times), statistics.median_high(times)
        print(json.dumps({"peer": PEER, "workload": workload, "n": n, "issue_min": least, "issue_median": median,
                          "e2e_min": least, "e2e_median": median, "rss_growth_bytes": growth,
                          "trace_bytes_per_op": 0, "foreign_percent": round(percent), "issue": times, "e2e": times,
                          "note": "synchronous, from Python"}), flush=True)


if __name__ == "__main__":
    main()
