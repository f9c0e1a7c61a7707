"""PyTorch's own sample inputs of its ops (OpInfo) give on Headway's CUDA device what they give on the CPU, forward and
backward."""

import json
import os
import subprocess
import unittest

import module

RUNNER = os.environ["HEADWAY_RUNNER"]
MAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "opinfos_main.py")
# What differs on purpose. The last one's sample writes several elements to one place, and the order decides.
WITHOUT_VALUES = {"empty", "empty_like", "new_empty", "new_empty_strided", "as_strided_scatter"}
REFUSED = {"tensor_split": "to be on cpu"}  # a CUDA build of PyTorch refuses it, too
ON_A_GPU_ONLY = "jiterator"


class OpInfos(unittest.TestCase):
    def check(self, least, dtype="float32", device="cpu", **more):
        environment = {**os.environ, "OPINFO_DTYPE": dtype, **more}
        done = subprocess.run([RUNNER, "run", MAIN, "--device", device], capture_output=True, text=True, timeout=800,
                              env=environment)
        self.assertEqual(done.returncode, 0, done.stderr[-1000:])
        rows = [json.loads(line[4:]) for line in done.stdout.splitlines() if line.startswith("row ")]
        rows = [row for row in rows if ON_A_GPU_ONLY not in row["name"] and row["name"] not in WITHOUT_VALUES]
        sampled = [row for row in rows if row["samples"] > 0]
        wrong = [(row["name"], row["wrong"]) for row in rows if row["wrong"] or row["elsewhere"]]
        refused = [(row["name"], row["refused"]) for row in rows
                   if row["refused"] and REFUSED.get(row["name"], "\n") not in row["refused"]]
        left_out = ["%s (%s)" % (row["name"], row["left_out"]) for row in rows if row["left_out"]]
        print("%s on %s: %d ops, %d samples, %d with gradients; left out: %s" % (
            dtype, device, len(sampled), sum(row["forward"] for row in sampled), sum(row["backward"] > 0 for row in sampled),
            ", ".join(left_out)))
        self.assertEqual(wrong, [])
        self.assertEqual(refused, [])
        self.assertGreaterEqual(len(sampled), least)

    def test_float32(self):
        self.check(590)

    def test_int64(self):
        self.check(410, "int64")

    def test_complex64(self):
        self.check(330, "complex64")

    def test_on_the_simulated_gpu(self):
        self.check(590, device="simulated", OPINFO_SAMPLES="1")


if __name__ == "__main__":
    module.skip_without_it()
    unittest.main(verbosity=1)
