"""Each fault of faults.cu is reported by the tool that this build has: memory_check.cpp, the address sanitizer or the
thread sanitizer; barriers by all. A kernel without a fault is not.

    faults_test.py PROGRAM memory_check|address|thread
"""

import os
import subprocess
import sys
import unittest

PROGRAM, CHECKED_BY = sys.argv.pop(1), sys.argv.pop(1)

SEEDS = 2 if CHECKED_BY == "thread" else 5

BARRIERS = {
    "barrier_in_branch": "divergent barrier in barrier_in_branch: 32 threads of block (0, 0, 0) wait at line ",
    "barriers_in_branches": "divergent barrier in barriers_in_branches: thread ",
    "barriers_without_end": "barriers_without_end does not end",
}
FOUND = {
    "memory_check": {
        "race_in_block": "simt: race: thread ",
        "race_of_threads": "simt: race: thread ",
        "race_of_blocks": "simt: race: thread 0 of block ",
        "race_of_reader_and_block": "simt: race: thread ",
        "write_after_end": "writes 4 bytes 0 bytes after device memory of 1024 bytes",
        "read_before_begin": "reads 4 bytes 4 bytes before device memory of 1024 bytes",
        "shared_after_end": "writes 4 bytes 0 bytes after a shared variable of 256 bytes",
        "shared_not_written": "reads shared memory that its block has not written",
        "host_memory": "reads 4 bytes in no device memory",
    },
    "address": {
        "write_after_end": "heap-buffer-overflow",
        "read_before_begin": "heap-buffer-overflow",
        "shared_after_end": "use-after-poison",
        "local_after_end": "",  # stack-buffer-overflow, or the undefined-behaviour sanitizer's words
    },
    "thread": {
        "misaligned": "misaligned address",  # by the undefined-behaviour sanitizer
        "race_in_block": "data race",
        "race_of_threads": "data race",
        "race_of_blocks": "data race",
        "race_of_reader_and_block": "data race",
    },
}


def run(kernel, seed):
    environment = dict(os.environ, HEADWAY_SIMT_SEED=str(seed), TSAN_OPTIONS="halt_on_error=1:exitcode=66")
    return subprocess.run([PROGRAM, kernel], env=environment, capture_output=True, text=True, timeout=120)


class Faults(unittest.TestCase):
    def test_each_is_reported_in_any_order_of_execution(self):
        for kernel, text in {**BARRIERS, **FOUND[CHECKED_BY]}.items():
            for seed in range(1, SEEDS + 1):
                with self.subTest(kernel=kernel, seed=seed):
                    ran = run(kernel, seed)
                    self.assertNotEqual(ran.returncode, 0)
                    self.assertIn(text, ran.stderr)
                    if kernel not in BARRIERS and CHECKED_BY != "thread" or "race" in kernel:
                        self.assertIn("faults.cu:", ran.stderr)

    def test_a_sound_kernel_is_not(self):
        for seed in range(1, SEEDS + 1):
            ran = run("sound", seed)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
