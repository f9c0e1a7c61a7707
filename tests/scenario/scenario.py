"""Shared by the scenario tests: runs the runner as a user would, and reads its output and files.

Each test file is started with the runner's path as its one argument.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = os.path.abspath(sys.argv[1])
WITH_FIGURES = os.environ.get("HEADWAY_TEST_FIGURES") == "1"


def main():
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])


class Ran:
    """A finished command: its status and its output."""

    def __init__(self, done):
        self.status = done.returncode
        self.out = (done.stdout or b"").decode()
        self.err = done.stderr.decode()

    def __str__(self):
        return f"status {self.status}\nstdout: {self.out}\nstderr: {self.err}"


class Scenario(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="headway-scenario-")
        self.folder = Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()

    def headway(self, *arguments, environment=None, stdout=subprocess.PIPE):
        return Ran(subprocess.run([RUNNER, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=stdout,
                                  stderr=subprocess.PIPE, timeout=240, env={**os.environ, **(environment or {})}))

    def run_program(self, *arguments, status=0):
        """The report of a run."""
        path = self.folder / "report.json"
        path.unlink(missing_ok=True)
        ran = self.headway("run", *arguments, "--report", path)
        self.assertEqual(ran.status, status, ran)
        report = json.loads(path.read_text())
        report["stdout"], report["stderr"] = ran.out, ran.err
        return report

    def assert_refused(self, ran, status, *words):
        """Asserts one sentence on stderr, nothing on stdout, and no files written."""
        self.assertEqual(ran.status, status, ran)
        self.assertEqual(ran.out, "", ran)
        self.assertTrue(ran.err.startswith("headway: "), ran)
        self.assertEqual(ran.err.count("\n"), 1, ran)
        self.assertTrue(ran.err.endswith("\n"), ran)
        for word in words:
            self.assertIn(word, ran.err)
        self.assertEqual(os.listdir(self.folder), [], ran)

    def assert_near(self, a, b, tolerance=1e-4):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertLessEqual(abs(x - y), tolerance * max(1.0, abs(x), abs(y)))


def waits_of(report, *kinds):
    return [wait for wait in report["waits"] if wait["kind"] in kinds]


def settings(**values):
    """The --set options for these values."""
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
