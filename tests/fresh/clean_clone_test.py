"""scripts/run in a clean copy of the sources builds every part that this machine allows and runs the default lesson.

    clean_clone_test.py SOURCE_FOLDER

Fast with a warm compiler cache; without it the test builds the whole project.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1))


def sources():
    """All files that git tracks or does not ignore."""
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, check=True).stdout
    names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    return [name for name in names if (SOURCE / name).is_file()]


def has_nvcc():
    """Whether there is a CUDA compiler, searched as in the scripts."""
    return subprocess.run(["bash", "-c", f'. "{SOURCE}/scripts/lib-install"; find_nvcc'],
                          capture_output=True, text=True).stdout != ""


class ScriptsRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="headway-clone-")
        cls.root = Path(cls.folder.name)
        for name in sources():
            (cls.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, cls.root / name)
        cls.said = cls.run_script()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_script(cls, *arguments):
        """The output of the script, on a machine without a display."""
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("DISPLAY", "WAYLAND_DISPLAY") and not name.startswith("HEADWAY_")}
        done = subprocess.run([cls.root / "scripts/run", *arguments], cwd="/", env=environment, capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise AssertionError(f"scripts/run ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_builds_every_program_and_module(self):
        build = self.root / "build/release"
        wanted = {"headway", "headway-runner"} | ({"libheadway_cuda.so"} if has_nvcc() else set())
        if "PyTorch module: libtorch" in (build / "configure.log").read_text():
            wanted |= {"libheadway_torch.so"}
        found = {path.name for path in build.rglob("*")
                 if path.is_file() and os.access(path, os.X_OK) and "CMakeFiles" not in path.parts}
        self.assertEqual(found, wanted)  # all programs are built, but no test or benchmark

    def test_runs_the_default_lesson_without_a_display(self):
        self.assertIn("there is no display", self.said)
        report = json.loads((self.root / "build/train.json").read_text())
        self.assertGreater(report["ops"], 0)
        self.assertTrue((self.root / "build/train.png").read_bytes().startswith(b"\x89PNG"))

    def test_a_second_call_is_quick(self):
        started = time.monotonic()
        self.run_script("devices")
        second = time.monotonic() - started
        self.assertLess(second, 20)  # takes about a second; a build takes minutes


if __name__ == "__main__":
    unittest.main()
