"""Runs that are longer than their recording: nothing is lost, sums stay exact, and memory stays bounded."""

import gc
import gzip
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from scenario import RUNNER, WITH_FIGURES, Scenario, main, settings

OPS = 2_000_000
SMALL = ("--trace-limit", "96M")  # room for about 1.5 million ops


class LongRun(Scenario):
    def assert_sums(self, report):
        self.assertEqual(report["lost_records"], 0)
        self.assertEqual(sum(line["ops"] for line in report["lines"]), report["ops"])
        self.assertEqual(sum(line["issue_ns"] for line in report["lines"]), report["op_issue_ns"])
        self.assertEqual(sum(device["ops"] for device in report["devices"]), report["ops"])
        self.assertEqual(sum(device["busy_ns"] for device in report["devices"]), report["backend_busy_ns"])
        frontend = report["frontend"]
        named = [value for key, value in frontend.items() if key.endswith("_ns")]
        self.assertEqual(sum(named), report["total_ns"])
        for spread, count in (("t1", report["ops"]), ("t2", report["ops"])):
            self.assertEqual(report[spread]["count"], count)

    def test_a_recording_may_be_smaller_than_the_run(self):
        report = self.run_program("increment", *settings(n=OPS), *SMALL)
        self.assertEqual(report["ops"], OPS)
        self.assertEqual(report["end"]["verdict"], "complete")
        self.assert_sums(report)
        folded = report["folded"]
        self.assertEqual(folded["ops"], sum(p["last_op"] - p["first_op"] + 1 for p in folded["parts"]))
        self.assertGreater(folded["ops"], 0)
        self.assertIsNone(report["predicted_ns"])
        self.assertLess(report["headway_max"], 1_010_000)
        self.assertIn("known as sums only", self.headway("run", "increment", *settings(n=OPS), *SMALL).err)

    def test_a_short_run_is_not_folded(self):
        report = self.run_program("increment", *settings(n=1_000_000))
        self.assertIsNone(report["folded"])
        self.assertIsNotNone(report["predicted_ns"])
        self.assert_sums(report)

    def test_a_trace_lists_what_is_there_and_the_sums_of_the_rest(self):
        trace, report = self.folder / "run.json.gz", self.folder / "report.json"
        ran = self.headway("run", "increment", *settings(n=500_000), "--trace-limit", "20M", "--trace", trace,
                           "--report", report)
        self.assertEqual(ran.status, 0, ran)
        numbers = json.loads(report.read_text())
        self.assertEqual("recording held the frontend back for " in ran.err, numbers["recording_wait_ns"] > 0, ran)
        gc.disable()  # it takes half of the time in which the many events are read
        with gzip.open(trace) as file:
            saved = json.load(file)
        gc.enable()
        issues = [e for e in saved["traceEvents"] if e["ph"] == "X" and e["tid"] == 1]
        blocks = [e for e in issues if e["cat"] == "folded"]
        self.assertEqual(len(issues) - len(blocks) + 16384 * len(blocks), numbers["end"]["recorded_ops"])
        self.assertEqual(16384 * len(blocks), numbers["folded"]["ops"])
        measured = range(saved["otherData"]["measured"]["first"], saved["otherData"]["measured"]["last"] + 1)
        known_ns = sum(round(1000 * e["dur"]) for e in issues if e["cat"] == "issue" and e["args"]["op"] in measured)
        self.assertEqual(known_ns + sum(sum(e["args"]["busy_ns"]) for e in blocks), numbers["op_issue_ns"])
        self.assertEqual(saved["otherData"]["folded"]["ops"], numbers["folded"]["ops"])
        self.assertEqual(saved["otherData"]["end"]["verdict"], "complete")
        if WITH_FIGURES:
            drawn = self.headway("figure", trace, "-o", "f.svg")
            self.assertEqual(drawn.status, 0, drawn)
            self.assertIn("ops folded", (self.folder / "f.svg").read_text())

    def test_an_endless_loop_can_be_stopped_and_is_counted(self):
        program, report = self.folder / "endless.py", self.folder / "report.json"
        going = self.folder / "going"
        program.write_text("from mxnet import np, npx\nnpx.set_np()\nx = np.zeros(4)\ni = 0\n"
                           f"open({str(going)!r}, 'w').close()\ntry:\n    while True:\n"
                           "        x = x + 1\n        i += 1\nfinally:\n    print(i)\n")
        with subprocess.Popen([RUNNER, "run", program, "--report", report, *SMALL], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              start_new_session=True) as child:
            end = time.monotonic() + 60
            while not going.exists() and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(5)
            os.killpg(child.pid, signal.SIGINT)
            out, err = child.communicate(timeout=120)
        self.assertIn(b"stopp", err.lower())
        numbers = json.loads(report.read_text())
        self.assertEqual(numbers["end"]["verdict"], "stopped")
        self.assertEqual(numbers["lost_records"], 0)
        self.assertEqual(sum(line["ops"] for line in numbers["lines"]), numbers["ops"])
        # Each completed turn of the loop issued one op; one op made x, and the last one may have been issued or not.
        turns = int(out.split()[0])
        self.assertIn(numbers["ops"] - turns, (1, 2))

    def test_memory_is_bounded(self):
        # A small process starts the runner: a forked process counts what its parent held as its own peak.
        measure = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True); "
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        ran = subprocess.run([sys.executable, "-c", measure, RUNNER, "run", "increment", *settings(n=5 * OPS), *SMALL],
                             cwd=self.folder, stdout=subprocess.PIPE, check=True)
        self.assertLess(int(ran.stdout), 1_100_000)  # KiB


if __name__ == "__main__":
    main()
