#!/usr/bin/env python3
"""Measures the time from the start of the program to its first frame: offscreen, and in a window if there
is a display. Reports median and minimum of several starts; the first one, with cold caches, separately.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time


def first_frame_ms(command):
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)  # the clock of std::chrono::steady_clock
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        print(f"first_frame: {done.stderr.strip()}")
        return None
    return (int(done.stdout.split()[-1]) - begin) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("headway")
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    ways = [("offscreen, 1920x1080", ["--offscreen", "1920x1080"])]
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        ways.append(("window", []))
    else:
        print("no display: only offscreen")
    for name, arguments in ways:
        times = [first_frame_ms([options.headway, *arguments, "--first-frame"]) for _ in range(1 + options.repeats)]
        if None in times:
            return 77
        cold, warm = times[0], times[1:]
        print(f"{name}: median {statistics.median(warm):.0f} ms, least {min(warm):.0f} ms (the first {cold:.0f} ms)")
    return 0


sys.exit(main())
