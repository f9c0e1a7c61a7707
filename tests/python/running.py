"""Runs programs with headway-runner and reads their output, report and status."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

RUNNER = os.environ["HEADWAY_RUNNER"]


class Outcome:
    def __init__(self, done, report):
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr
        self.report = report

    def waits(self, kind=None):
        return [w for w in self.report["waits"] if kind is None or w["kind"] == kind]


def run(program, *options, timeout=120, **environment):
    """`program`: a lesson's id, a path, or the text of a Python program. `environment`: variables beside the test's."""
    with tempfile.TemporaryDirectory() as folder:
        if "\n" in program:
            path = os.path.join(folder, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            program = path
        report = os.path.join(folder, "report.json")
        done = subprocess.run(
            [RUNNER, "run", program, "--report", report, *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            env={**os.environ, **environment},
        )
        found = None
        if os.path.exists(report):
            with open(report, encoding="utf-8") as file:
                found = json.load(file)
        return Outcome(done, found)


def main():
    probe = run("import headway\n")
    if "no Python frontend" in probe.err:
        print("skipped:", probe.err.strip())
        sys.exit(77)
    unittest.main(verbosity=1)
