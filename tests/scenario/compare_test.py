"""Two runs on one time axis: each in its own process, a table and a verdict, one report of both."""

import json
import os
import re
import unittest

from scenario import WITH_FIGURES, Scenario, main


class Compare(Scenario):
    def test_two_barriers(self):
        ran = self.headway("compare", "train", "--a", "--barrier none --set batches=12",
                           "--b", "--barrier minibatch --set batches=12", "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        both = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(both["a"]["settings"]["barrier"], "none")
        self.assertEqual(both["b"]["settings"]["barrier"], "minibatch")
        self.assertGreater(both["a"]["live_bytes_peak"], both["b"]["live_bytes_peak"])
        verdict = both["verdict"]
        self.assertIn(verdict["sentence"], ran.err)
        self.assertEqual((both["runs"], verdict["runs"]), (5, 5))
        self.assertIn(verdict["time"]["claim"], ("faster", "no measurable difference", "not comparable"))
        self.assertEqual((verdict["memory"]["claim"], verdict["memory"]["subject"]), ("more", "A"))
        self.assertRegex(verdict["sentence"], r"A needs \S+× the memory of B \(\S+ MB against \S+ MB\)")
        self.assertIn("A (no minibatch barrier)", verdict["sentence"])
        self.assertIn("B (barrier every minibatch)", verdict["sentence"])
        for word in ("total", "headway", "live bytes", "B / A"):
            self.assertIn(word, ran.err)
        # Five runs of each, after one each to warm up, with the programs' own output.
        self.assertEqual(ran.out.count("12 batches, time"), 12)
        self.assertEqual(os.listdir(self.folder), ["r.json"])

    def test_common_options_apply_to_both_sides(self):
        ran = self.headway("compare", "train", "--device", "simulated", "--set", "batches=12", "--set", "hidden=64",
                           "--a", "--barrier none", "--b", "--barrier minibatch --set batches=6", "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        both = json.loads((self.folder / "r.json").read_text())
        for side, barrier, batches in (("a", "none", "12"), ("b", "minibatch", "6")):
            settings = both[side]["settings"]
            self.assertEqual(both[side]["device"]["kind"], "simulated")
            self.assertEqual(settings["barrier"], barrier)
            self.assertEqual(str(both[side]["parameters"]["batches"]), batches)
            self.assertEqual(str(both[side]["parameters"]["hidden"]), "64")
        ran = self.headway("compare", "--device", "simulated", "--a", "a.json", "--b", "b.json")
        self.assertEqual(ran.status, 2)
        self.assertIn("--device", ran.err)

    def test_a_comparison_in_virtual_time_is_the_same_every_time(self):
        reports = []
        for _ in range(2):
            ran = self.headway("compare", "increment", "--a", "--device simulated", "--b",
                               "--device simulated --set wait=each", "--report", "r.json")
            self.assertEqual(ran.status, 0, ran)
            reports.append((self.folder / "r.json").read_bytes())
        self.assertEqual(*reports)
        both = json.loads(reports[0])
        self.assertLess(both["a"]["total_ns"], both["b"]["total_ns"])
        # The simulation is exact, so one run of each is enough.
        verdict = both["verdict"]
        self.assertEqual((verdict["runs"], verdict["time"]["claim"], verdict["time"]["subject"]), (1, "faster", "A"))
        self.assertEqual(verdict["time"]["medians"], {"a": both["a"]["total_ns"], "b": both["b"]["total_ns"]})
        self.assertRegex(verdict["sentence"], r"^SIMULATED: A \(wait=once\) is \S+× as fast as B \(wait=each\): ")
        self.assertIn(verdict["sentence"], ran.err)

    def test_one_run_each_says_nothing_about_time(self):
        ran = self.headway("compare", "train", "--a", "--barrier none", "--b", "--barrier minibatch", "--repeat", 1,
                           "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        verdict = json.loads((self.folder / "r.json").read_text())["verdict"]
        self.assertEqual(verdict["time"]["claim"], "one run says nothing")
        self.assertIsNone(verdict["time"]["subject"])
        self.assertTrue(verdict["sentence"].startswith("One run each says nothing about time; in these two runs A "))
        self.assertIn(verdict["sentence"], ran.err)
        self.assertNotRegex(ran.err, r"\d as fast as|less time")

    def test_exchanging_the_sides_mirrors_the_verdict(self):
        none, each = "--device simulated --barrier none", "--device simulated --barrier op --set wait=each"
        sentences = []
        for a, b in ((none, each), (each, none)):
            ran = self.headway("compare", "increment", "--a", a, "--b", b, "--report", "r.json")
            self.assertEqual(ran.status, 0, ran)
            sentences.append(json.loads((self.folder / "r.json").read_text())["verdict"]["sentence"])
        turned = re.sub(r"\b[AB]\b", lambda m: "B" if m.group() == "A" else "A", sentences[1])
        self.assertEqual(sentences[0], turned)
        self.assertIn("A (barriers as written, wait=once)", sentences[0])

    def test_parameters_of_a_plain_program_are_recorded_and_named(self):
        (self.folder / "p.py").write_text("import headway as hw\nk = 2\nx = hw.ones(9)\nfor _ in range(int(k)):\n"
                                          "    x = x + 1\nhw.waitall()\n")
        ran = self.headway("compare", "p.py", "--device", "simulated", "--a", "--set k=1", "--b", "",
                           "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        both = json.loads((self.folder / "r.json").read_text())
        self.assertEqual((both["verdict"]["a"], both["verdict"]["b"]), ("k=1", "k not set"))
        self.assertEqual((both["a"]["parameters"], both["b"]["parameters"]), ({"k": "1"}, {}))

    def test_a_tab_or_a_frontend_is_compared_and_named(self):
        ran = self.headway("compare", "frontends", "--a", "--device simulated", "--b", "--device simulated --tab python",
                           "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        verdict = json.loads((self.folder / "r.json").read_text())["verdict"]
        self.assertEqual((verdict["a"], verdict["b"]), ("C++", "Python"))
        self.assertIn("A (C++)", verdict["sentence"])

    def test_repeats_alternate_and_compare_medians(self):
        ran = self.headway("compare", "train", "--a", "--barrier none --set batches=12", "--b",
                           "--barrier minibatch --set batches=12", "--repeat", 3, "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(ran.out.count("12 batches, time"), 8)  # including one warm-up each
        self.assertIn("medians of 3 runs each", ran.err)
        both = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(both["runs"], 3)
        for side in ("a", "b"):
            repeat = both[side]["repeat"]
            totals = repeat["totals_ns"]
            self.assertEqual(len(totals), 3)
            self.assertEqual(repeat["total_ns"]["median"], sorted(totals)[1])
            self.assertEqual(repeat["total_ns"]["least"], min(totals))
            self.assertEqual(repeat["total_ns"]["most"], max(totals))
            self.assertEqual(both[side]["total_ns"], sorted(totals)[1])
        verdict = both["verdict"]
        self.assertIn(verdict["time"]["claim"], ("too few runs", "not comparable"))
        for side in ("a", "b"):
            total = both[side]["repeat"]["total_ns"]
            self.assertEqual(verdict["time"]["medians"][side], total["median"])
            self.assertEqual(verdict["time"]["spreads"][side], [total["least"], total["most"]])

    def test_faster_is_claimed_only_if_the_runs_are_separated(self):
        ran = self.headway("compare", "increment", "--a", "--set n=200", "--b", "--set n=400000", "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        both = json.loads((self.folder / "r.json").read_text())
        time = both["verdict"]["time"]
        a, b = (both[side]["repeat"]["totals_ns"] for side in ("a", "b"))
        self.assertLess(max(a), min(b))
        self.assertEqual((time["claim"], time["subject"]), ("faster", "A"))
        self.assertAlmostEqual(time["p"], 2 / 252)
        ran = self.headway("compare", "increment", "--a", "--set n=2000", "--b", "--set n=2000", "--report", "r.json")
        both = json.loads((self.folder / "r.json").read_text())
        a, b = (both[side]["repeat"]["totals_ns"] for side in ("a", "b"))
        if not (max(a) < min(b) or max(b) < min(a)):  # with five runs each, only complete separation is significant
            self.assertNotEqual(both["verdict"]["time"]["claim"], "faster", both["verdict"])

    def test_a_run_against_itself_shows_no_difference(self):
        ran = self.headway("compare", "increment", "--a", "--device simulated --set n=200 --barrier none", "--b",
                           "--device simulated --set n=200 --barrier minibatch", "--repeat", 2)
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("take the same time", ran.err)
        self.assertIn("need the same memory", ran.err)
        self.assertIn("SIMULATED", ran.err)

    def test_repeats_need_something_to_run(self):
        self.assertEqual(self.headway("compare", "increment", "--a", "", "--b", "", "--repeat", 0).status, 2)
        ran = self.headway("compare", "increment", "--a", "x.json", "--b", "", "--repeat", 2)
        self.assertEqual(ran.status, 2)
        self.assertIn("--repeat", ran.err)

    def test_numbers_missing_from_a_trace_are_dashes(self):
        spans = [{"ph": "X", "name": "decode", "tid": i % 3, "ts": 10 * i, "dur": 9} for i in range(30)]
        (self.folder / "theirs.json").write_text(json.dumps(spans))
        ran = self.headway("run", "increment", "--device", "simulated", "--trace", "ours.json")
        self.assertEqual(ran.status, 0, ran)
        for a, b in (("theirs.json", "ours.json"), ("ours.json", "theirs.json"), ("theirs.json", "theirs.json")):
            ran = self.headway("compare", "--a", a, "--b", b, "--report", "r.json")
            self.assertEqual(ran.status, 0, ran)
            rows = {line[2:16].strip(): line[16:].split() for line in ran.err.splitlines() if line.startswith("  ")}
            lacking = ("predicted", "blocked", "t₁", "t₂", "t₃", "headway", "live bytes", "pending bytes")
            for name in lacking:
                self.assertEqual(rows[name][-1], "–", (name, ran.err))
                self.assertEqual(len([cell for cell in rows[name] if cell == "–"]),
                                 3 if a == b else 2, (name, ran.err))
            self.assertRegex(rows["spans" if a == b else "ops"][-1], r"^[0-9.]+×$", ran.err)
            # The other side is simulated, so its clock is virtual.
            self.assertRegex(rows["total"][-1], r"^[0-9.]+×$" if a == b else "^–$", ran.err)
            theirs = json.loads((self.folder / "r.json").read_text())["a" if a == "theirs.json" else "b"]
            for name in ("issue_ns", "blocked_ns", "recorded_work_ns", "t1_ns", "t2_ns", "t3_ns", "regime", "predicted_ns",
                         "headway_max", "live_bytes_peak", "pending_bytes_peak", "critical_path", "idle",
                         "without_barriers_ns", "lines"):
                self.assertIsNone(theirs[name], name)
            self.assertIsNone(theirs["settings"]["seed"])
            self.assertEqual((theirs["ops"], theirs["total_ns"]), (30, 299_000))

    def test_virtual_and_real_time_have_no_ratio(self):
        ran = self.headway("compare", "increment", "--set", "n=100", "--a", "--device simulated", "--b", "--device cpu",
                           "--repeat", "1", "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        last = {line[2:16].strip(): line.split()[-1] for line in ran.err.splitlines() if line.startswith("  ")}
        for name in ("total", "predicted", "blocked", "t₁", "t₂", "t₃"):
            self.assertEqual(last[name], "–", ran.err)
        for name in ("ops", "headway", "live bytes"):
            self.assertRegex(last[name], r"^[0-9.]+×$", ran.err)
        verdict = json.loads((self.folder / "r.json").read_text())["verdict"]
        self.assertIsNone(verdict["time"]["ratio"])

    def test_a_failed_side_is_compared_up_to_the_failure(self):
        ran = self.headway("compare", "train", "--a", "--barrier none --budget 4M", "--b", "", "--report", "r.json")
        self.assertEqual(ran.status, 1, ran)
        self.assertIn("out of memory", ran.err)
        both = json.loads((self.folder / "r.json").read_text())
        self.assertIsNotNone(both["a"]["error"])
        self.assertIsNone(both["b"]["error"])
        # One run is enough, and nothing is claimed.
        self.assertEqual(both["runs"], 1)
        self.assertEqual(both["verdict"]["time"]["claim"], "not comparable")
        self.assertEqual(both["verdict"]["memory"]["claim"], "not comparable")
        self.assertRegex(both["verdict"]["sentence"], r"^A \(.*\) failed; A and B are not compared\.$")
        ratios = [line for line in ran.err.splitlines() if line.startswith("  ") and line.endswith("×")]
        self.assertEqual(ratios, [])
        # A report that was there is kept.
        again = self.headway("compare", "train", "--a", "--barrier none --budget 4M", "--b", "", "--report", "r.json")
        self.assertIn("r.json already exists and was not replaced", again.err)
        self.assertTrue((self.folder / "r.partial.json").exists())
        (self.folder / "r.partial.json").unlink()
        (self.folder / "r.json").write_text("earlier")
        self.headway("compare", "train", "--a", "--barrier none --budget 4M", "--b", "", "--report", "r.json", "--replace")
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["verdict"]["time"]["claim"], "not comparable")
        self.assertFalse((self.folder / "r.partial.json").exists())

    def test_an_incomplete_trace_replaces_a_report_where_that_is_asked(self):
        self.headway("run", "train", "--barrier", "none", "--budget", "4M", "--trace", "t.json")
        words = ["compare", "--a", "t.json", "--b", "t.json", "--report", "r.json"]
        (self.folder / "r.json").write_text("earlier")
        kept = self.headway(*words)
        self.assertIn("r.json already exists and was not replaced", kept.err)
        self.assertEqual((self.folder / "r.json").read_text(), "earlier")
        self.assertEqual(self.headway(*words, "--replace").status, kept.status)
        self.assertIn("verdict", json.loads((self.folder / "r.json").read_text()))

    def test_a_crashed_side_is_not_compared(self):
        (self.folder / "p.py").write_text(
            "import os\nimport headway as hw\nx = hw.ones(9)\nfor i in range(20):\n    x = x + 1\n"
            "    if i == 9 and os.path.exists('again'):\n        hw.waitall()\n        os._exit(1)\n"
            "hw.waitall()\nopen('again', 'w').close()\n")
        ran = self.headway("compare", "p.py", "--a", "--device simulated", "--b", "--device simulated", "--report",
                           "r.json")
        self.assertEqual(ran.status, 1, ran)
        both = json.loads((self.folder / "r.json").read_text())
        self.assertEqual([both[side]["end"]["verdict"] for side in "ab"], ["complete", "crashed"])
        self.assertEqual(both["verdict"]["time"]["claim"], "not comparable")
        self.assertRegex(both["verdict"]["sentence"], r"^SIMULATED: B .*crashed after .*; A and B are not compared\.$")

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_a_figure_of_both(self):
        ran = self.headway("compare", "increment", "--a", "--device simulated", "--b",
                           "--device simulated --set wait=each", "--figure", "f.svg")
        self.assertEqual(ran.status, 0, ran)
        figure = (self.folder / "f.svg").read_text()
        self.assertTrue(figure.startswith("<"))
        self.assertIn("SIMULATED: A (wait=once) is ", figure)
        self.assertIn("one run each", figure)

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_an_animation_of_both(self):
        sides = ["--a", "--device simulated --set n=50", "--b", "--device simulated --set n=50 --set wait=each"]
        ran = self.headway("compare", "increment", *sides, "--figure", "both/%02d.png", "--figure-seconds", 1,
                           "--figure-fps", 6, "--figure-size", "640x400")
        self.assertEqual(ran.status, 0, ran)
        frames = [(self.folder / "both" / f"{i:02d}.png").read_bytes() for i in range(1, 7)]
        self.assertEqual(len(os.listdir(self.folder / "both")), 6)
        self.assertEqual(len(set(frames)), 5)  # the end repeats the last frame
        ran = self.headway("compare", "increment", *sides, "--figure", "end.png", "--figure-size", "640x400")
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual((self.folder / "end.png").read_bytes(), frames[-1])
        # Reported before anything runs.
        ran = self.headway("compare", "increment", *sides, "--figure", "no/such/%02d.png")
        self.assertEqual(ran.status, 2, ran)
        self.assertEqual(ran.out, "")


if __name__ == "__main__":
    main()
