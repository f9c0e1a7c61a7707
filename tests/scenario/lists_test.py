"""The lists: lessons, devices, help, and the engine's own costs."""

import json
import shutil
import unittest
from pathlib import Path

from scenario import Scenario, main

GOOD = """---
id: mine
title: My own
program: increment
parameters:
  n: {value: 7, least: 1, most: 9, label: Steps}
---
Text.
"""


class Lists(Scenario):
    def lessons_in(self, **files):
        for name, text in files.items():
            folder = self.folder / "assets" / "lessons" / name.replace("_", "-")
            folder.mkdir(parents=True)
            (folder / "lesson.md").write_text(text)
        return {"HEADWAY_ASSETS": str(self.folder / "assets")}

    def test_lessons(self):
        ran = self.headway("lessons")
        self.assertEqual(ran.status, 0, ran)
        for name in ("increment", "matmul", "train", "batch_size"):
            self.assertIn(name, ran.out)
        lessons = json.loads(self.headway("lessons", "--json").out)
        self.assertEqual([lesson["number"] for lesson in lessons], sorted(lesson["number"] for lesson in lessons))
        for lesson in lessons:
            for key in ("id", "title", "program", "device", "barrier", "parameters"):
                self.assertIn(key, lesson)
            for parameter in lesson["parameters"]:
                self.assertTrue("choices" in parameter or parameter["least"] <= parameter["most"])

    def test_every_listed_default_is_accepted(self):
        for lesson in json.loads(self.headway("lessons", "--json").out):
            if lesson["program"] == "increment":
                words = [f"{p['name']}={p['value']}" for p in lesson["parameters"]]
                arguments = [word for pair in words for word in ("--set", pair)]
                self.assertEqual(self.headway("run", lesson["id"], *arguments).status, 0)

    def test_a_teachers_lesson_needs_no_compiler(self):
        environment = self.lessons_in(a_mine=GOOD)
        ran = self.headway("lessons", environment=environment)
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("My own", ran.out)
        ran = self.headway("run", "mine", environment=environment)
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("7 steps", ran.out)
        ran = self.headway("run", "mine", "--set", "n=10", environment=environment)
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("from 1 to 9", ran.err)

    def test_a_broken_lesson_is_refused_by_line_and_the_others_load(self):
        environment = self.lessons_in(a_mine=GOOD, b_broken=GOOD.replace("id: mine", "id: other").replace("n:", "m:"),
                                      c_worse="---\nid: [\n---\nText\n")
        ran = self.headway("lessons", environment=environment)
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("My own", ran.out)
        self.assertRegex(ran.err, r"b-broken/lesson\.md:6: .* no parameter m")
        self.assertRegex(ran.err, r"c-worse/lesson\.md:\d+: ")
        self.assertEqual(self.headway("run", "mine", environment=environment).status, 0)
        self.assertEqual(self.headway("run", "other", environment=environment).status, 2)
        # Running a broken lesson reports its own error.
        for name, place in (("other", r"b-broken/lesson\.md:6: .* no parameter m"), ("worse", r"c-worse/lesson\.md:\d+: ")):
            ran = self.headway("run", name, environment=environment)
            self.assertEqual(ran.status, 2, ran)
            self.assertRegex(ran.err, place)
        environment = self.lessons_in(d_lost=GOOD.replace("increment", "no-such").replace("id: mine", "id: lost"))
        self.assertRegex(self.headway("run", "lost", environment=environment).err, r"d-lost/lesson\.md:4: .*no program no-such")

    def test_devices(self):
        devices = json.loads(self.headway("devices", "--json").out)
        self.assertEqual([device["kind"] for device in devices], ["cpu", "cuda", "simulated"])
        for device in devices:
            self.assertEqual(device["available"], device["reason"] == "")
            if device["available"]:
                self.assertGreaterEqual(len(device["lanes"]), 1)
        text = self.headway("devices")
        self.assertEqual(text.status, 0)
        lines = text.out.splitlines()
        self.assertEqual([line.split()[0] for line in lines[:4]], ["cpu", "cuda", "simulated", "PyTorch"])
        self.assertIn("tested on a CPU", text.out)

    def test_help_and_version(self):
        for arguments in (["--help"], ["run", "--help"], ["compare", "--help"], ["figure", "--help"]):
            ran = self.headway(*arguments)
            self.assertEqual(ran.status, 0, ran)
            self.assertIn("Usage: headway", ran.out)
            self.assertEqual(ran.err, "")
        self.assertRegex(self.headway("--version").out, r"^headway \d+\.\d+\.\d+\n$")

    def test_bench_gives_numbers(self):
        ran = self.headway("bench", "--json")
        self.assertEqual(ran.status, 0, ran)
        costs = json.loads(ran.out)
        for name in ("issue_ns", "end_to_end_ns", "wait_ns", "recorder_ns"):
            self.assertGreater(costs[name], 0)


if __name__ == "__main__":
    main()
