"""Lessons whose statements are not proved fail the check."""

import contextlib
import io
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import check_lesson
from checking import ROOT, RUNNER

TEXT = """---
id: two
title: Two
program: two.py
device: simulated
parameters:
  n: {value: 3, least: 1, most: 50}
  word: {value: a, choices: [a, b]}
---
Words without proof.

**Claim.** It issues *n* ops. It waits `once`.

```
Code. It is not read.
```

**Look at** the number of waits.
"""
PROGRAM = "import headway as hw\nn = 3\nword = 'a'\nfor _ in range(n):\n    x = hw.ones(2)\nhw.waitall()\n"
CLAIMS = '''
from checking import claim, needs

LARGEST = {"n": 9}
tried = []

@claim("It issues n ops.")
def ops(lesson):
    tried.append((lesson.device, lesson["n"], lesson["word"]))
    assert lesson.run()["ops"] == lesson["n"] == len(lesson.run().ops)

@claim("It waits `once`.", "Look at the number of waits.")
def waits(lesson):
    needs(lesson["n"] > 1, "one op is one op")
    assert len(lesson.run().waits("waitall")) == 1
'''


class Form(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.lesson = Path(folder.name) / "lessons" / "07-two"
        self.lesson.mkdir(parents=True)

    def check(self, text=TEXT, claims=CLAIMS):
        """The printed problems of the lesson."""
        for name, content in (("lesson.md", text), ("two.py", PROGRAM), ("claims.py", claims)):
            (self.lesson / name).write_text(content, encoding="utf-8")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            problems = check_lesson.check(self.lesson, False)
        self.assertEqual(problems == 0, out.getvalue() == "")
        return out.getvalue()

    def test_a_proved_lesson_passes(self):
        self.assertEqual(self.check(), "")

    def test_least_and_greatest_parameters_are_tried(self):
        self.check()
        facts = check_lesson.facts_of(self.lesson)
        self.assertEqual(check_lesson.settings_of(facts, {"n": 9}), [{}, {"n": "1"}, {"n": "9"}, {"word": "b"}])
        self.assertEqual(check_lesson.settings_of(facts, {})[2], {"n": "50"})

    def test_a_sentence_without_proof_fails(self):
        self.assertIn("does not prove: It is fast.", self.check(TEXT.replace("ops. It", "ops. It is fast. It")))
        self.assertIn("does not prove: Look at it.", self.check(TEXT + "\n**Look at** it.\n"))

    def test_a_quotation_that_the_text_does_not_have_fails(self):
        self.assertIn("what lesson.md does not say: It waits `once`.", self.check(TEXT.replace("`once`", "twice")))

    def test_a_claim_that_is_false_fails_with_its_line_and_values(self):
        said = self.check(claims=CLAIMS.replace('waits("waitall")) == 1', 'waits("waitall")) == 2'))
        self.assertIn("waits on simulated:", said)
        self.assertRegex(said, r'claims.py:\d+: assert len\(lesson.run\(\).waits\("waitall"\)\) == 2')

    def test_a_claim_must_hold_with_default_parameters(self):
        self.assertIn("not here: one op is one op", self.check(claims=CLAIMS.replace("> 1", "> 3")))

    def test_a_lesson_without_claims_fails(self):
        self.assertIn("claims.py proves nothing", self.check(claims=""))
        (self.lesson / "claims.py").unlink()
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(check_lesson.check(self.lesson, False), 1)
        self.assertIn("it has no claims.py", out.getvalue())

    def test_every_lesson_fits_on_a_screen_and_says_what_to_look_at(self):
        for file in sorted((ROOT / "assets" / "lessons").glob("*/lesson.md")):
            with self.subTest(lesson=file.parent.name):
                text = file.read_text(encoding="utf-8")
                self.assertRegex(text, r"\*\*(Claim|Question)\.\*\*")
                self.assertIn("**Look at**", text)
                self.assertLess(len(text.split("---", 2)[2].split()), 320)

    def test_every_lesson_is_on_the_map_and_has_something_to_try_and_to_make(self):
        for file in sorted((ROOT / "assets" / "lessons").glob("*/lesson.md")):
            with self.subTest(lesson=file.parent.name):
                front, text = file.read_text(encoding="utf-8").split("---\n", 2)[1:]
                for key in ("part", "shows", "minutes"):
                    self.assertRegex(front, rf"(?m)^{key}: ")
                for word in ("Try", "Make"):
                    self.assertEqual(text.count(f"**{word}.**"), 1, word)
                self.assertNotRegex(text, r"headway (run|compare|check|figure)", "a learner's text has no command lines")

    def test_claims_are_not_listed_by_headway(self):
        listed = subprocess.run([RUNNER, "lessons", "--json"], capture_output=True, text=True)
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        self.assertNotIn("claims", listed.stdout)
        self.assertEqual(len(json.loads(listed.stdout)), len(list((ROOT / "assets" / "lessons").glob("*/claims.py"))))


if __name__ == "__main__":
    probe = subprocess.run([RUNNER, "run", str(ROOT / "assets/lessons/05-dependency-graph/"), "--device", "simulated"],
                           capture_output=True, text=True)
    if "no Python frontend" in probe.stderr:
        print("skipped:", probe.stderr.strip())
        raise SystemExit(77)
    unittest.main(verbosity=1)
