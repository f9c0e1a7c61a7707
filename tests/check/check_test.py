"""headway check as a user calls it: verdicts, formats, folders, and programs that try to get past it."""

import csv
import io
import json
import os
import re
import shutil
import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "scenario"))
from scenario import Scenario, main  # noqa: E402

EXERCISES = Path(os.environ["HEADWAY_ASSETS"]) / "exercises"
BARRIER = EXERCISES / "01-needless-barrier"
REFERENCE = (BARRIER / "solutions" / "reference.py").read_text()


class Check(Scenario):
    def file(self, text, name="mine.py"):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def report(self, text, *options, exercise="needless-barrier", name="mine.py"):
        """The result of checking this program."""
        ran = self.headway("check", exercise, self.file(text, name), "--format", "json", *options)
        self.assertIn(ran.status, (0, 1), ran)
        report = json.loads(ran.out)
        self.assertEqual(ran.status, 0 if report["verdict"] == "passed" else 1, ran)
        return report

    def check(self, report, name):
        return next(check for check in report["checks"] if check["id"] == name)


class Verdicts(Check):
    def test_a_right_program_passes(self):
        report = self.report(REFERENCE)
        self.assertEqual((report["verdict"], report["points"], report["most"]), ("passed", 5, 5))
        self.assertEqual((report["cases"], report["cases_run"]), (2, 2))
        self.assertEqual(report["exercise"], "needless-barrier")
        self.assertEqual(len(report["hash"]), 16)

    def test_the_programs_output_is_not_shown(self):
        ran = self.headway("check", "needless-barrier", self.file(REFERENCE + 'print("HELLO")\n'))
        self.assertEqual(ran.status, 0, ran)
        self.assertNotIn("HELLO", ran.out + ran.err)

    def test_an_exception_is_one_sentence_with_its_line(self):
        report = self.report(REFERENCE + "total[0, 0, 0] / 0\n")
        runs = self.check(report, "runs")
        self.assertEqual(report["verdict"], "failed")
        self.assertNotIn("\n", runs["sentence"])
        self.assertNotIn("Traceback", runs["sentence"])
        self.assertEqual(runs["line"], REFERENCE.count("\n") + 1)

    def test_a_syntax_error(self):
        report = self.report("import headway as hw\nrounds = = 3\n")
        self.assertEqual(self.check(report, "runs")["sentence"],
                         "SyntaxError: invalid syntax, in “rounds = = 3”, at mine.py:2.")
        self.assertEqual(self.check(report, "runs")["line"], 2)

    def test_limits_are_verdicts_and_partial_checks_go_on(self):
        # Little memory and much time, so that the last program reaches the memory's limit first on a slow machine, too.
        roomy = self.folder / "roomy"
        shutil.copytree(BARRIER, roomy)
        text = (roomy / "exercise.md").read_text()
        (roomy / "exercise.md").write_text(re.sub(r"(?m)^limits: .*$", "limits: {memory: 400M, seconds: 60}", text))
        for text, verdict, exercise in (
                ("while True:\n    pass\n", "endless loop", BARRIER),
                ("while True:\n    x = hw.ones(4)\n    x.wait_to_read()\n", "endless loop", BARRIER),
                ("while True:\n    print('.' * 10000)\n", "endless output", BARRIER),
                ("kept = [b'.' * 10 ** 8]\nwhile True:\n    kept.append(kept[0] + b'.')\n", "out of memory", roomy)):
            with self.subTest(text):
                report = self.report(REFERENCE + text, exercise=exercise)
                self.assertEqual(report["verdict"], verdict)
                self.assertEqual(report["cases_run"], 1)
                self.assertEqual({c["outcome"] for c in report["checks"][1:]}, {"not reached"})

    def test_a_process_that_ends_itself(self):
        # Nothing an exercise allows ends the process; a deep recursion in C would.
        report = self.report(REFERENCE + "import sys\n")
        self.assertEqual(report["verdict"], "refused")
        self.assertIn("may not import sys", report["sentence"])

    def test_a_notebook(self):
        cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                  "source": REFERENCE.splitlines(True)}]
        notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
        self.assertEqual(self.report(notebook, name="mine.ipynb")["verdict"], "passed")


class Cheats(Check):
    """What a program may not do, beyond what the wrong solutions of the exercises show."""

    REFUSED = {
        "ctypes": "import ctypes\n",
        "mmap": "import mmap\n",
        "from os": "from os import _exit\n",
        "the runtime": "import _headway\n",
        "carried module": "import statistics\nstatistics.sys\n",
        "carried import": "from enum import sys\n",
        "frames": "(i for i in [1]).gi_frame.f_back\n",
        "a pattern": "match hw:\n    case object(__dict__=d):\n        pass\n",
        "names as texts": "x = '__code__'\n",
        "a module that evaluates texts": "import typing\n",
        "eval": "eval('1')\n",
        "exec": "exec('import os')\n",
        "import by name": "__import__('os')\n",
        "open": "open('/etc/passwd')\n",
        "classes": "().__class__.__base__.__subclasses__()\n",
        "globals of a function": "hw.waitall.__globals__\n",
        "an internal name": "hw._headway.program_event('end')\n",
        "getattr": "getattr(hw, 'Tensor')\n",
        "builtins": "__builtins__\n",
        "an array over any memory": "class A:\n    x = {'__array_interface__': 1}\n",
        "a relative import": "from . import solutions\n",
    }

    def test_refused_programs(self):
        for name, text in self.REFUSED.items():
            with self.subTest(name):
                report = self.report(REFERENCE + text)
                self.assertEqual(report["verdict"], "refused", report["sentence"])
                self.assertIn("an exercise's program may not", report["sentence"].lower())
                self.assertGreater(self.check(report, "runs")["line"], 0)

    def test_modules_that_may_be_imported_can_be(self):
        # Behind the first one: all modules that may be imported still can. NumPy looks for ctypes by itself.
        sys.path.insert(0, str(Path(__file__).parents[2] / "app" / "runner" / "python" / "lib"))
        import headway_graded

        modules = sorted(headway_graded.MODULES - {"d2l", "mxnet", "tensorflow", "torch", "__future__"})
        report = self.report("".join("import %s\n" % name for name in modules) +
                             "P = collections.namedtuple('P', 'x')\n@dataclasses.dataclass\nclass D:\n    x: int = 1\n" +
                             REFERENCE)
        self.assertEqual(report["verdict"], "passed", report["sentence"])

    def test_measuring_begins_where_it_did(self):
        report = self.report(REFERENCE.replace("total.wait_to_read()", "total.wait_to_read()\nhw.measure()"))
        self.assertIn("remove the call of measure()", report["sentence"])

    def test_values_of_the_shown_case_do_not_pass(self):
        values = self.headway("run", BARRIER / "solutions" / "reference.py", "--device", "simulated", "--graded", "total",
                              "--report", self.folder / "r.json")
        self.assertEqual(values.status, 0, values)
        total = json.loads((self.folder / "r.json").read_text())["result"]["values"]["total"]["values"]
        report = self.report("import headway as hw\nrounds = 8\nsize = 32\ntotal = hw.tensor(%r)\ntotal.wait_to_read()\n" %
                             (total,))
        self.assertEqual(report["verdict"], "failed")
        self.assertTrue(self.check(report, "values")["hidden"])
        self.assertEqual(self.check(report, "work")["outcome"], "failed")

    def test_hidden_values_do_not_leak(self):
        tell = ("if rounds != 8:\n    raise ValueError('rounds %d size %d' % (rounds, size))\n",
                "if rounds != 8:\n    print(rounds, size)\n    1 / 0\n",
                "x = [] if rounds == 8 else [0] * rounds\n(x + [1])[rounds]\n")
        for text in tell:
            with self.subTest(text):
                path = self.file(REFERENCE + text)
                for form in ("text", "json", "csv", "junit", "gradescope"):
                    ran = self.headway("check", "needless-barrier", path, "--format", form, "--hints", 9, "--key", "leak")
                    for words in ("rounds 1", "rounds 2", "rounds 5", "rounds 6", "size 1", "size 2", "ValueError",
                                  "ZeroDivision"):
                        self.assertNotIn(words, ran.out + ran.err)

    def test_nothing_is_left_behind(self):
        place = self.folder / "temporary"
        place.mkdir()
        (place / "headway-check-killed").mkdir()  # of a check that was killed
        ran = self.headway("check", "needless-barrier", self.file(REFERENCE), environment={"TMPDIR": str(place)})
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(os.listdir(place), [])


class Values(Check):
    """What the runner records of a graded program's results."""

    def values(self, text, *names):
        ran = self.headway("run", self.file(text), "--device", "simulated", "--graded", ",".join(names), "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        self.last = json.loads((self.folder / "r.json").read_text())
        (self.folder / "r.json").unlink()
        return self.last["result"]["values"]

    def test_kinds(self):
        values = self.values("import headway as hw\nt = hw.ones(2, 3) * 2\nn = 1.5\ni = 3\ntext = 'a\"b'\nyes = True\n"
                             "bad = float('nan')\nmany = [t, (1, 'x')]\nother = {1}\n",
                             "t", "n", "i", "text", "yes", "bad", "many", "other", "gone")
        self.assertEqual(values["t"], {"kind": "tensor", "op": 2, "shape": [2, 3], "sum": 12, "sum_of_sizes": 12,
                                       "values": [2] * 6})
        self.assertEqual(values["n"], {"kind": "number", "value": 1.5})
        self.assertEqual(values["i"], {"kind": "number", "value": 3})
        self.assertEqual(values["text"], {"kind": "text", "value": 'a"b'})
        self.assertEqual(values["yes"], {"kind": "truth", "value": True})
        self.assertEqual(values["bad"], {"kind": "number", "value": "nan"})
        self.assertEqual(values["many"]["values"][0], values["t"])
        self.assertEqual(values["many"]["values"][1]["values"][1], {"kind": "text", "value": "x"})
        self.assertEqual(values["other"], {"kind": "other", "type": "set"})
        self.assertEqual(values["gone"], {"kind": "missing"})

    def test_of_a_large_tensor_some_values_and_the_sums(self):
        values = self.values("import headway as hw\nt = hw.ones(500, 500)\nmany = [hw.ones(100, 100)] * 300\n", "t", "many")
        self.assertEqual(values["t"]["sum"], 250_000)
        self.assertLess(len(values["t"]["values"]), 20)
        self.assertEqual(len(values["many"]["values"]), 300)

    def test_reading_them_leaves_no_trace(self):
        text = "import headway as hw\nt = hw.ones(9)\nt = t + 1\n"
        self.values(text, "t")
        graded = self.last
        self.headway("run", self.file(text), "--device", "simulated", "--report", "r.json")
        plain = json.loads((self.folder / "r.json").read_text())
        for key in ("ops", "waits", "total_ns", "end"):
            self.assertEqual(graded[key], plain[key])


class Results(Check):
    WAITS = REFERENCE.replace("    total = total", "    hidden.wait_to_read()\n    total = total")

    def test_text_and_hints(self):
        path = self.file(self.WAITS)
        ran = self.headway("check", "needless-barrier", path)
        self.assertEqual(ran.status, 1, ran)
        self.assertIn("FAIL  The frontend does not wait before", ran.out)
        self.assertIn("(mine.py:12)", ran.out)
        self.assertEqual(ran.out.count("Hint "), 1, ran)
        self.assertEqual(self.headway("check", "needless-barrier", path, "--hints", 3).out.count("Hint "), 3)

    def test_junit(self):
        ran = self.headway("check", "needless-barrier", self.file(self.WAITS), "--format", "junit")
        suite = xml.etree.ElementTree.fromstring(ran.out)[0]
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("skipped")), ("6", "1", "2"))

    def test_gradescope(self):
        ran = self.headway("check", "needless-barrier", self.file(self.WAITS), "--format", "gradescope", "-o", "results.json")
        self.assertEqual((ran.status, ran.out), (1, ""), ran)
        results = json.loads((self.folder / "results.json").read_text())
        self.assertEqual(results["score"], 2)
        self.assertEqual(sum(test["max_score"] for test in results["tests"]), 5)

    def test_the_same_each_time(self):
        first, second = self.report(self.WAITS), self.report(self.WAITS)
        self.assertEqual(first, second)

    def test_a_folder_is_resumed(self):
        self.file(REFERENCE, "in/anna/mine.py")
        self.file(self.WAITS, "in/ben.py")
        self.file("no python", "in/carl.py")
        self.file("{", "in/dora.ipynb")
        self.file("", "in/.ipynb_checkpoints/old.ipynb")
        ran = self.headway("check", "needless-barrier", "in", "--results", "out", "--format", "csv", "--jobs", 2)
        self.assertEqual(ran.status, 1, ran)
        rows = list(csv.DictReader(io.StringIO(ran.out)))
        self.assertEqual([(row["program"], row["verdict"]) for row in rows],
                         [("anna/mine.py", "passed"), ("ben.py", "failed"), ("carl.py", "failed"),
                          ("dora.ipynb", "refused")])
        self.assertTrue((self.folder / "out" / "anna" / "mine.py.json").is_file())
        # Results that are there are taken, unless the program has changed.
        kept = self.folder / "out" / "ben.py.json"
        kept.write_text(kept.read_text().replace("checks pass", "checks are kept"))
        self.file(self.WAITS + "\n", "in/anna/mine.py")
        ran = self.headway("check", "needless-barrier", "in", "--results", "out", "--format", "json")
        reports = json.loads(ran.out)
        self.assertEqual([report["verdict"] for report in reports], ["failed", "failed", "failed", "refused"])
        self.assertIn("checks are kept", reports[1]["sentence"])


    def test_a_folder_that_cannot_be_read_is_named_and_the_others_are_checked(self):
        self.file(REFERENCE, "in/a.py")
        self.file(REFERENCE, "in/z/b.py")
        # Its path is longer than the system allows, which not even root can read.
        before = os.getcwd()
        os.chdir(self.folder / "in")
        try:
            for _ in range(17):
                os.mkdir("m" * 250)
                os.chdir("m" * 250)
        finally:
            os.chdir(before)
        ran = self.headway("check", "needless-barrier", "in", "--format", "csv")
        self.assertEqual(ran.status, 2, ran)
        self.assertEqual([row["program"] for row in csv.DictReader(io.StringIO(ran.out))], ["a.py", "z/b.py"])
        self.assertRegex(ran.err, "the folder in/(m+/)+m+ cannot be read \\(File name too long\\), so its programs are")

    def test_why_a_program_of_a_folder_is_not_checked(self):
        self.file("#" * 1_100_000, "in/a/Big.py")
        ran = self.headway("check", "needless-barrier", "in", "--format", "csv")
        self.assertEqual(ran.status, 1, ran)
        self.assertIn("The program is larger than 1 MB.", ran.out)


class Usage(Check):
    def test_an_option_that_would_do_nothing_is_an_error(self):
        program = self.file(REFERENCE)
        for arguments, said in (
                (["--list", "-o", "result.txt"], "--list lists the exercises"),
                (["--list", "--selftest"], "--list lists the exercises"),
                (["--selftest", "needless-barrier", "-o", "result.txt"], "it takes EXERCISE, --key"),
                (["--selftest", "needless-barrier", "--format", "json"], "it takes EXERCISE, --key"),
                (["needless-barrier", "--key", "k"], "there is no FILE to check"),
                (["needless-barrier", "--start", "start.py", "--hints", "2"], "there is no FILE to check"),
                (["needless-barrier", program, "--no-mutants"], "--no-mutants is for --selftest"),
                (["needless-barrier", "-o", "result.txt"], "there is no FILE to check"),
                (["needless-barrier", program, "--start", "start.py"], "give one of them")):
            with self.subTest(arguments):
                ran = self.headway("check", *arguments)
                self.assertEqual(ran.status, 2, ran)
                self.assertIn(said, ran.err)
                self.assertEqual(ran.out, "")
        self.assertEqual(len(list(self.folder.iterdir())), 1)

    def test_lists_and_tasks(self):
        ran = self.headway("check", "--list")
        self.assertEqual(ran.status, 0, ran)
        self.assertGreaterEqual(ran.out.count("\n"), 15)
        ran = self.headway("check", "needless-barrier")
        self.assertIn("**Task.**", ran.out)
        ran = self.headway("check", "needless-barrier", "--start", "mine.py")
        self.assertEqual((self.folder / "mine.py").read_text(), (BARRIER / "start.py").read_text())
        self.assertEqual(self.headway("check", "needless-barrier", "--start", "mine.py").status, 2)

    def test_refuses_what_is_not_there(self):
        self.assert_refused(self.headway("check"), 2, "needs an EXERCISE")
        self.assert_refused(self.headway("check", "nothing"), 2, "there is no exercise", "needless-barrier")
        self.assert_refused(self.headway("check", "needless-barrier", "no.py"), 2, "no such file")
        self.assert_refused(self.headway("check", "needless-barrier", ".", "--format", "xml"), 2, "--format must be")
        self.assert_refused(self.headway("check", "needless-barrier", "."), 2, "there is no .py or .ipynb file")

    def test_an_exercise_is_found_by_its_id_whatever_its_folder_is_called(self):
        assets = self.folder / "assets"
        shutil.copytree(BARRIER, assets / "exercises" / "05-other")
        environment = {"HEADWAY_ASSETS": str(assets)}
        ran = self.headway("check", "needless-barrier", environment=environment)
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("05-other/start.py", ran.out)
        ran = self.headway("check", "other", environment=environment)
        self.assertIn('there is no exercise "other"; there are: needless-barrier\n', ran.err)
        shutil.copytree(BARRIER, assets / "exercises" / "06-again")
        ran = self.headway("check", "--list", environment=environment)
        self.assertEqual((ran.status, ran.out.count("\n")), (2, 1), ran)
        self.assertRegex(ran.err, "06-again/exercise.md: the id needless-barrier is already used by .*05-other/")

    def test_an_exercise_of_ones_own(self):
        own = self.folder / "own"
        shutil.copytree(BARRIER, own)
        self.assertEqual(self.report(REFERENCE, exercise=own)["verdict"], "passed")
        text = (own / "exercise.md").read_text()
        (own / "exercise.md").write_text(text.replace("count(early) == 0", "count(earlier) == 0"))
        ran = self.headway("check", own, self.file(REFERENCE))
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("exercise.md:", ran.err)
        self.assertIn("column 7: there is no fact called earlier", ran.err)

    def test_the_selftest_finds_what_is_missing(self):
        own = self.folder / "own"
        shutil.copytree(BARRIER, own)
        text = (own / "exercise.md").read_text()
        (own / "exercise.md").write_text(text.replace("count(early) == 0", "count(early) >= 0"))
        for name in os.listdir(own / "solutions"):
            if name.startswith(("wrong_never", "wrong_prints_w", "wrong_fills")):
                (own / "solutions" / name).unlink()
        ran = self.headway("check", "--selftest", own, "--no-mutants")
        self.assertEqual(ran.status, 1, ran)
        self.assertIn("wrong_every_wait.py: check waits should fail: it is passed", ran.out)


if __name__ == "__main__":
    main()
