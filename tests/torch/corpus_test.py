"""Each of the programs gives on Headway's CUDA device what plain PyTorch gives on the CPU, in a process of its
own. Prints how each op was issued: asynchronously, after a first run for its shape, or always waited for."""

import json
import math
import os
import subprocess
import unittest

import module

RUNNER = os.environ["HEADWAY_RUNNER"]
HERE = os.path.dirname(os.path.abspath(__file__))
MAIN = os.path.join(HERE, "corpus_main.py")


def read(output):
    rows, ways = {}, {}
    for line in output.splitlines():
        kind, _, text = line.partition(" ")
        if kind == "row":
            row = json.loads(text)
            rows[row["name"]] = row
        elif kind == "ways":
            ways = json.loads(text)
    return rows, ways


def same(a, b, path=""):
    """The first difference; empty if there is none. Numbers may differ in the last places of float32."""
    if isinstance(a, dict) and isinstance(b, dict):
        if a["type"] != b["type"] or a["shape"] != b["shape"]:
            return "%s: %s %s, not %s %s" % (path, b["type"], b["shape"], a["type"], a["shape"])
        return same(a["values"], b["values"], path)
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return "%s: %d values, not %d" % (path, len(b), len(a))
        return next((d for i, (x, y) in enumerate(zip(a, b)) if (d := same(x, y, "%s[%d]" % (path, i)))), "")
    if isinstance(a, float) and isinstance(b, (int, float)):
        if (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=2e-5, abs_tol=2e-6):
            return ""
    return "" if a == b else "%s: %r, not %r" % (path, b, a)


def table(ways):
    """How often each op was issued in which way."""
    titles = ("asynchronous", "asynchronous after a first run", "waited for its inputs")
    sorts = {title: {} for title in titles}
    for name, (at_once, learned, waited) in sorted(ways.items()):
        sorts[titles[2 if waited else 1 if learned else 0]][name] = at_once + learned + waited
    return sorts


def named(ops):
    return ": " + ", ".join(name.replace("aten::", "") for name in ops) if len(ops) < 50 else ""


class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run(["/usr/bin/python3", "-W", "ignore", MAIN], capture_output=True, text=True, timeout=300)
        cls.plain, _ = read(done.stdout)
        if not cls.plain:
            raise AssertionError("plain PyTorch ran nothing: " + done.stderr[-500:])

    def compare(self, *options, only=""):
        done = subprocess.run([RUNNER, "run", MAIN, *options], capture_output=True, text=True, timeout=500,
                              env={**os.environ, "CORPUS_PROGRAMS": only})
        self.assertEqual(done.returncode, 0, done.stderr[-1000:])
        rows, ways = read(done.stdout)
        self.assertGreaterEqual(len(self.plain), 120)
        wrong, failed, bits = [], [], 0
        chosen = {n: row for n, row in self.plain.items() if not only or n in only.split()}
        for name, expected in chosen.items():
            self.assertNotIn("error", expected, name)
            got = rows.get(name, {"error": "it did not run"})
            if "error" in got:
                failed.append("%s: %s" % (name, got["error"]))
            elif difference := same(expected["values"], got["values"]):
                wrong.append("%s%s" % (name, difference))
            else:
                bits += expected["values"] == got["values"] or str(expected["values"]) == str(got["values"])
        print("%s: %d programs, %d right (%d bit by bit), %d refused" % (
            " ".join(options), len(chosen), len(chosen) - len(wrong) - len(failed), bits, len(failed)))
        for title, ops in table(ways).items():
            print("  %-32s %4d ops %6d calls%s" % (title, len(ops), sum(ops.values()), named(ops)))
        for line in failed:
            print("  refused", line)
        self.assertEqual(wrong, [])
        # At least 95 % run.
        self.assertLessEqual(len(failed), len(chosen) // 20, "\n".join(failed))

    def test_on_cpu_lanes(self):
        self.compare("--device", "cpu")

    def test_on_two_cpu_lanes(self):
        self.compare("--device", "cpu", "--workers", "2",
                     only="perceptron writes_through_views random_numbers in_place sorting dropout lenet")

    def test_on_the_simulated_gpu(self):
        self.compare("--device", "simulated")


if __name__ == "__main__":
    module.skip_without_it()
    unittest.main(verbosity=1)
