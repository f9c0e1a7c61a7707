"""The lessons' claims about their PyTorch programs with PyTorch itself instead of Headway's dialect, on simulated.

All hold but those of the lessons in OTHERS, which says why; a lesson there whose claims hold is a failure, too.
"""

import os
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
LESSONS = HERE.parents[1] / "assets" / "lessons"
sys.path.insert(0, str(HERE.parent / "torch"))
import module  # noqa: E402

OTHERS = {
    "24-cpu-and-gpu": "ops on CPU tensors are PyTorch's own: the CPU is no device of the run",
}


def checked(folder):
    return subprocess.run([sys.executable, HERE / "check_lesson.py", "--real-torch", "--verbose", folder],
                          capture_output=True, text=True, timeout=600)


class RealTorch(unittest.TestCase):
    def test_the_claims_hold_with_pytorch_itself(self):
        folders = [f for f in sorted(LESSONS.iterdir()) if "pytorch" in (f / "claims.py").read_text("utf-8")]
        self.assertLessEqual(set(OTHERS), {f.name for f in folders})
        proved = 0
        with ThreadPoolExecutor(2) as pool:
            for folder, done in zip(folders, pool.map(checked, folders)):
                with self.subTest(folder.name):
                    self.assertEqual(done.returncode, 1 if folder.name in OTHERS else 0, done.stdout + done.stderr)
                proved += done.stdout.count(": holds (")
        self.assertGreater(proved, 60)


if __name__ == "__main__":
    module.skip_without_it()
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    unittest.main(verbosity=1)
