#!/usr/bin/env python3
"""Checks each exercise's right and wrong solutions again and again beside busy processes, and counts the checks whose
verdict or words are not those that the exercise expects.

    repeats.py RUNNER [--rounds N] [--busy N] [EXERCISE...]

A round is `headway check --selftest --no-mutants` for each exercise. Exit status 1 if any of them complained.
"""

import argparse
import multiprocessing
import re
import subprocess
import sys
import time


def spin():
    while True:
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runner")
    parser.add_argument("exercises", nargs="*", help="default: all")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--busy", type=int, default=2, help="processes that compute meanwhile")
    options = parser.parse_args()
    busy = [multiprocessing.Process(target=spin, daemon=True) for _ in range(options.busy)]
    for process in busy:
        process.start()
    begin, checks, flipped = time.monotonic(), 0, []
    try:
        for turn in range(options.rounds):
            done = subprocess.run([options.runner, "check", "--selftest", "--no-mutants", *options.exercises],
                                  capture_output=True, text=True)
            checks += sum(int(a) + int(b) for a, b in re.findall(r"(\d+) right, (\d+) wrong", done.stdout + done.stderr))
            if done.returncode != 0:
                flipped.append(turn)
                print("round %d:\n%s%s" % (turn, done.stdout, done.stderr), flush=True)
    finally:
        for process in busy:
            process.terminate()
    print("%d rounds, %d checks, %d rounds with a complaint, %d busy processes, %.0f s" % (
        options.rounds, checks, len(flipped), options.busy, time.monotonic() - begin))
    sys.exit(1 if flipped else 0)


if __name__ == "__main__":
    main()
