"""Changes the kernels at one place at a time, and counts what the tests of the kernels notice: each barrier left out,
each bound loosened by one (translate.py --list).

    mutants_test.py PROGRAM KERNELS.cu memory_check|address|thread

The memory check must notice all of them, except that it does not look at a thread's own arrays; the address sanitizer,
with the values, all bounds; the thread sanitizer all barriers. The exceptions below change nothing that a kernel promises, and must stay unnoticed.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import unittest

PROGRAM, KERNELS, CHECKED_BY = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)

# (text of the line, text of the comparison): why it may change.
EQUIVALENT = {
    ("for (int axis = steps.rank - 1; axis > 0; --axis) {", "axis > 0"):
        "the index along the outermost axis is below its size: dividing by it leaves nothing to add",
    ("for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {", "t < tiles"):
        "the tile after the last one has no elements: each access in it compares rows and columns",
    ("for (std::int64_t block = first_index(); 4 * block < n; block += index_step()) {", "4 * block < n"):
        "the block after the last one has no elements: store_four compares each",
    ("return b > a || b != b ? b : a;", "b > a"):
        "of equal values either one may be taken; only the sign of zero could differ",
    ("const std::int64_t end = begin + chunk_length < length ? begin + chunk_length : length;",
     "begin + chunk_length < length"): "the smaller of two equal numbers",
    ("const std::int64_t end = begin + chunk_length < reduced ? begin + chunk_length : reduced;",
     "begin + chunk_length < reduced"): "the smaller of two equal numbers",
    ("values[k] = value < below_high ? value : below_high;", "value < below_high"):
        "the smaller of two equal numbers",
}

# A thread's own array is left, which only the address sanitizer sees.
OWN_ARRAYS = [
    ("for (int half = 0; half < 4; half += 2) {", "half < 4"),
    ("for (int k = 0; k < 4; ++k) {", "k < 4"),
]


def fits(pairs, source, part):
    return next((pair for pair in pairs if pair[0] in source and pair[1] == part), None)


def all_mutants():
    listed = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("translate.py"), "--list", KERNELS],
                            capture_output=True, text=True, check=True).stdout
    lines = pathlib.Path(KERNELS).read_text(encoding="utf-8").splitlines()
    for row in listed.splitlines():
        number, kind, line, text = row.split("\t")
        source = lines[int(line) - 1].split("//")[0].strip()
        if fits(OWN_ARRAYS, source, text):
            kind = "own array"
        why = EQUIVALENT.get(fits(EQUIVALENT, source, text), "")
        yield int(number), kind, f"{pathlib.Path(KERNELS).name}:{line}: {text}", why


def noticed(number):
    environment = dict(os.environ, HEADWAY_SIMT_MUTANT=str(number), TSAN_OPTIONS="halt_on_error=1:exitcode=66")
    try:
        ran = subprocess.run([PROGRAM, "--gtest_brief=1", "--gtest_fail_fast"], env=environment, capture_output=True,
                             timeout=300, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return "it did not end"
    if ran.returncode == 0:
        return ""
    said = [line for line in (ran.stderr + ran.stdout).splitlines()
            if "simt:" in line or "ERROR:" in line or "WARNING: Thread" in line or "Failure" in line
            or "on the CPU" in line]
    return said[0] if said else f"status {ran.returncode}"


class Mutants(unittest.TestCase):
    def test_all_are_noticed(self):
        self.assertEqual(noticed(0), "", "the kernels without a change")
        mutants = list(all_mutants())
        self.assertGreaterEqual(sum(kind == "barrier" for _, kind, _, _ in mutants), 5)
        self.assertEqual({why for *_, why in mutants} - {""}, set(EQUIVALENT.values()), "an exception fits no line")
        wanted = {"memory_check": ("barrier", "bound"), "address": ("bound", "own array"), "thread": ("barrier",)}[CHECKED_BY]
        mutants = [mutant for mutant in mutants if mutant[1] in wanted]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(noticed, [number for number, *_ in mutants]))
        counts = {}
        for (number, kind, place, why), result in zip(mutants, results):
            with self.subTest(place):
                if why:
                    self.assertEqual(result, "", f"this exception is noticed, and is none: {why}")
                else:
                    self.assertNotEqual(result, "", f"HEADWAY_SIMT_MUTANT={number}: no test noticed this change")
            print(f"{place}: {'equivalent, ' + why if why else result}")
            counts[kind, bool(why)] = counts.get((kind, bool(why)), 0) + 1
        for (kind, equivalent), count in sorted(counts.items()):
            print(f"{count} {kind} mutants {'are equivalent' if equivalent else 'were noticed'}")


if __name__ == "__main__":
    unittest.main()
