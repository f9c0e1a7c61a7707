"""Whether the runner has its PyTorch module, and running programs with it."""

import json
import os
import subprocess
import sys
import tempfile

RUNNER = os.environ["HEADWAY_RUNNER"]


def skip_without_it():
    file = os.path.join(os.path.dirname(os.path.realpath(RUNNER)), "libheadway_torch.so")
    if not os.path.exists(file):
        print("skipped: the PyTorch module is not built (scripts/run --with-pytorch installs what it needs)")
        sys.exit(77)


class Outcome:
    def __init__(self, done, report):
        self.status, self.out, self.err, self.report = done.returncode, done.stdout, done.stderr, report


def run(text, *options, **environment):
    """Runs a program's text; its report is that of the run."""
    with tempfile.TemporaryDirectory() as folder:
        path, report = os.path.join(folder, "program.py"), os.path.join(folder, "report.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([RUNNER, "run", path, "--report", report, *options], capture_output=True, text=True,
                              timeout=200, env={**os.environ, **environment})
        found = None
        if os.path.exists(report):
            with open(report, encoding="utf-8") as file:
                found = json.load(file)
        return Outcome(done, found)
