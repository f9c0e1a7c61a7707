"""Runs every lesson on every device, as written and under one barrier policy in turn, and recomputes every number of
every sentence of the explanation (and the rest of the report) from the raw events.

--all: under every barrier policy. --only WORD: of all of these, the runs whose name contains it.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import checker
import checker_test
import lessons

# Further runs: sentences that no lesson leads to with its own settings.
FURTHER = {
    "increment with a queue limit": ["increment", "--set", "n=200", "--queue-limit", "16"],
    "train with a budget": ["train", "--set", "batches=3", "--set", "batch_size=64", "--budget", "16M",
                                "--barrier", "none", "--device", "simulated"],
    "a run without a GPU": ["cpu-and-gpu", "--device", "cpu"],
}


def jobs(everything):
    """(name, arguments)"""
    as_written, *policies = checker_test.POLICIES
    for number, lesson in enumerate(lessons.listed()):
        for place, device in enumerate(checker_test.DEVICES):
            if device == "cpu" and lesson["id"] in lessons.TWO_DEVICES:
                continue
            in_turn = policies[(number + place) % len(policies)]
            for policy in (as_written, *(policies if everything else [in_turn])):
                yield f"{lesson['id']} {device} {policy or 'as written'}", [
                    lesson["id"], *lessons.small_sizes(lesson), "--device", device,
                    *(["--barrier", policy] if policy else [])]
    yield from FURTHER.items()


def run_one(job):
    """(name, the kinds of its sentences, how many numbers were compared, differences)"""
    name, arguments = job
    with tempfile.TemporaryDirectory(prefix="headway-explanation-") as folder:
        report, trace = os.path.join(folder, "report.json"), os.path.join(folder, "trace.json")
        done = subprocess.run([lessons.RUNNER, "run", *arguments, "--report", report, "--trace", trace, "--explain"],
                              capture_output=True, stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=120,
                              check=False)
        if not os.path.exists(report):
            return name, [], 0, [f"status {done.returncode}: {done.stderr.strip()[-400:]}"]
        found = checker.check(report, trace)
        with open(report, encoding="utf-8") as file:
            said = json.load(file)["explanation"]
        wrong = [f"{key}: the report says {said}, the events {own}" for key, said, own in found.differences]
        wrong += [f"not on stderr: {s['text']}" for i, s in enumerate(said, 1)
                  if f"headway: {i}. {s['text']}\n" not in done.stderr]
        return name, [sentence["kind"] for sentence in said], found.compared, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    checker_test.skip_without_python()
    wanted = [job for job in jobs(chosen.all or bool(chosen.only)) if chosen.only in job[0]]
    kinds, compared, failed = collections.Counter(), 0, 0
    with ProcessPoolExecutor(max_workers=2) as pool:
        for name, said, count, wrong in pool.map(run_one, wanted):
            kinds.update(said)
            compared += count
            if wrong:
                failed += 1
                print(f"{name}: {len(wrong)} differ")
                print("".join(f"    {line[:600]}\n" for line in wrong[:6]), end="", flush=True)
    print(f"{len(wanted)} runs, {sum(kinds.values())} sentences, {compared} numbers compared, {failed} with differences")
    print(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
