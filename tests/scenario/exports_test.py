"""Files that a run writes: the Chrome trace agrees with the report; figures have the requested format and content."""

import gzip
import json
import os
import subprocess
import unittest

from scenario import RUNNER, WITH_FIGURES, Scenario, main, settings

SMALL = ["train", *settings(batches=3, batch_size=16, features=16, hidden=16)]


class Exports(Scenario):
    def exported(self, name, *options):
        path, report = self.folder / name, self.folder / "r.json"
        ran = self.headway("run", *SMALL, *options, "--trace", path, "--report", report)
        self.assertEqual(ran.status, 0, ran)
        data = path.read_bytes()
        return json.loads(gzip.decompress(data) if name.endswith(".gz") else data), json.loads(report.read_text())

    def test_the_trace_agrees_with_the_report(self):
        for device in ("cpu", "simulated"):
            with self.subTest(device):
                trace, report = self.exported("t.json", "--device", device, "--barrier", "none")
                events = trace["traceEvents"]
                issues = {e["args"]["op"]: e for e in events if e.get("cat") == "issue"}
                runs = {e["args"]["op"]: e for e in events if e.get("cat", "").startswith("execute")}
                self.assertEqual(issues.keys(), runs.keys())
                self.assertEqual(sorted(issues), list(range(1, len(issues) + 1)))
                begin = trace["otherData"]["measured"]["begin_us"]
                end = trace["otherData"]["measured"]["end_us"]
                self.assertEqual(sum(begin <= e["ts"] < end for e in issues.values()), report["ops"])
                self.assertEqual(round((end - begin) * 1000), report["total_ns"])
                starts = {e["id"]: e for e in events if e["ph"] == "s"}
                ends = {e["id"]: e for e in events if e["ph"] == "f"}
                self.assertEqual(starts.keys(), issues.keys())
                for op, arrow in ends.items():
                    self.assertEqual(arrow["tid"], runs[op]["tid"])
                    self.assertGreaterEqual(arrow["ts"], starts[op]["ts"])
                headway = [e["args"]["ops"] for e in events if e["ph"] == "C" and e["name"] == "headway"
                           and begin <= e["ts"] <= end]
                self.assertEqual(max(headway), report["headway_max"])

    def test_no_op_runs_before_what_it_reads_was_written(self):
        trace, _ = self.exported("t.json", "--barrier", "none", "--workers", 3)
        events = trace["traceEvents"]
        runs = {e["args"]["op"]: e for e in events if e.get("cat", "").startswith("execute")}
        writer = {}
        for issue in sorted((e for e in events if e.get("cat") == "issue"), key=lambda e: e["args"]["op"]):
            args = issue["args"]
            mine = runs[args["op"]]
            for buffer in args.get("in", []):
                if buffer in writer:
                    other = runs[writer[buffer]]
                    self.assertLessEqual(round(other["ts"] * 1000) + round(other["dur"] * 1000),
                                         round(mine["ts"] * 1000) + 1)
            self.assertGreaterEqual(mine["ts"], issue["ts"])
            writer[args["out"]] = args["op"]

    def test_lanes_never_overlap_within_themselves(self):
        trace, _ = self.exported("t.json.gz", "--barrier", "none", "--workers", 2)
        by_thread = {}
        for event in trace["traceEvents"]:
            # Cost events may overlap: the frontend can lose its core while recording.
            if event["ph"] == "X" and event.get("cat") != "cost":
                begin = round(event["ts"] * 1000)
                by_thread.setdefault(event["tid"], []).append((begin, begin + round(event["dur"] * 1000)))
        for spans in by_thread.values():
            spans.sort()
            for (_, end), (begin, _) in zip(spans, spans[1:]):
                self.assertLessEqual(end, begin + 1)

    def test_a_gzipped_trace_is_the_same_trace(self):
        plain, _ = self.exported("t.json", "--device", "simulated")
        packed, _ = self.exported("t.json.gz", "--device", "simulated")
        plain["otherData"].pop("date")
        packed["otherData"].pop("date")
        self.assertEqual(plain, packed)

    def test_a_run_that_fails_still_writes_what_was_asked(self):
        ran = self.headway("run", "train", "--budget", "1M", "--barrier", "none", "--report", "r.json", "--trace", "t.json")
        self.assertEqual(ran.status, 1, ran)
        trace = json.loads((self.folder / "t.json").read_text())
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(trace["otherData"]["error"], report["error"])

    def test_links_and_devices_are_written_to(self):
        real = self.folder / "real.json"
        real.write_text("old")
        os.symlink("real.json", self.folder / "link.json")
        self.assertEqual(self.headway("run", *SMALL, "--report", "link.json").status, 0)
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.assertEqual(json.loads(real.read_text())["program"], "train")
        ran = self.headway("run", "increment", "--set", "n=3", "--report", "/dev/stdout")
        self.assertEqual(ran.status, 0, ran)
        self.assertIn('"total_ns"', ran.out)

    def test_a_dash_is_standard_output(self):
        for option, key in (("--report", "total_ns"), ("--trace", "traceEvents")):
            with self.subTest(option=option):
                ran = self.headway("run", "increment", "--set", "n=3", "--device", "simulated", option, "-")
                self.assertEqual(ran.status, 0, ran)
                self.assertIn(key, json.loads(ran.out[ran.out.index("{"):]))
                self.assertFalse((self.folder / "-").exists())

    def test_standard_output_keeps_what_is_in_it(self):
        (self.folder / "fails.py").write_text('import headway as hw\nprint("hello")\nraise ValueError("no")\n')
        for program, first_line in (("increment", "3 steps"), ("fails.py", "hello")):
            with self.subTest(program=program):
                (self.folder / "out.txt").write_text("before\n")
                with open(self.folder / "out.txt", "a", encoding="utf-8") as out:
                    sets = ["--set", "n=3"] if program == "increment" else []
                    subprocess.run([RUNNER, "run", program, *sets, "--report", "-"], cwd=self.folder, stdout=out,
                                   stderr=subprocess.DEVNULL, check=False, timeout=60)
                text = (self.folder / "out.txt").read_text()
                self.assertTrue(text.startswith("before\n" + first_line), text[:200])
                self.assertIn("total_ns", json.loads(text[text.index("{"):]))
                self.assertEqual([f.name for f in self.folder.iterdir() if "stdout" in f.name], [])

    def test_a_trace_on_disk_restores_the_run(self):
        for device in ("cpu", "simulated"):
            for name in ("t.json", "t.json.gz"):
                with self.subTest(device=device, name=name):
                    ran = self.headway("run", *SMALL, "--device", device, "--trace", name, "--report", "r.json")
                    self.assertEqual(ran.status, 0, ran)
                    both = self.headway("compare", "--a", name, "--b", name, "--report", "c.json")
                    self.assertEqual(both.status, 0, both)
                    compared = json.loads((self.folder / "c.json").read_text())
                    report = json.loads((self.folder / "r.json").read_text())
                    self.assertEqual(compared["a"], report)
                    self.assertEqual(compared["b"], report)

    def test_the_explanation_of_a_trace_is_the_one_of_the_run(self):
        ran = self.headway("run", *SMALL, "--device", "simulated", "--trace", "t.json.gz", "--report", "r.json", "--explain")
        self.assertEqual(ran.status, 0, ran)
        told = self.headway("explain", "t.json.gz")
        self.assertEqual((told.status, told.err), (0, ""), told)
        sentences = [s["text"] for s in json.loads((self.folder / "r.json").read_text())["explanation"]]
        self.assertGreaterEqual(len(sentences), 3)
        lines = told.out.splitlines()
        self.assertEqual(lines[:len(sentences)], [f"{i}. {text}" for i, text in enumerate(sentences, 1)])
        for line in lines:
            self.assertIn(f"headway: {line}\n", ran.err)
        for arguments, word in ((["none.json"], "none.json"), ([], "TRACE")):
            refused = self.headway("explain", *arguments)
            self.assertEqual((refused.status, refused.out), (2, ""), refused)
            self.assertIn(word, refused.err)

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_the_figure_of_a_trace_is_the_figure_of_the_run(self):
        ran = self.headway("run", *SMALL, "--device", "simulated", "--trace", "t.json", "--figure", "run.svg")
        self.assertEqual(ran.status, 0, ran)
        drawn = self.headway("figure", "t.json", "-o", "trace.svg")
        self.assertEqual(drawn.status, 0, drawn)
        self.assertEqual((self.folder / "trace.svg").read_bytes(), (self.folder / "run.svg").read_bytes())

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_a_truncated_trace_gives_its_complete_part_and_a_notice(self):
        ran = self.headway("run", *SMALL, "--device", "simulated", "--trace", "t.json")
        self.assertEqual(ran.status, 0, ran)
        whole = (self.folder / "t.json").read_bytes()
        (self.folder / "cut.json").write_bytes(whole[:len(whole) // 2])
        drawn = self.headway("figure", "cut.json", "-o", "f.svg")
        self.assertEqual(drawn.status, 0, drawn)
        self.assertIn("cut off", drawn.err)
        (self.folder / "broken.json").write_text('{"traceEvents": [\n{"ph": }\n]}')
        drawn = self.headway("figure", "broken.json", "-o", "f.svg")
        self.assertEqual(drawn.status, 2, drawn)
        self.assertIn("broken.json", drawn.err)
        self.assertIn("line 2", drawn.err)

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_two_devices_are_both_named_and_summed(self):
        trace, _ = self.exported("t.json", "--device", "simulated")
        other = trace["otherData"]
        other["more_devices"] = [{"kind": "cpu", "name": "Second, 1 worker", "simulated": True, "first_lane": 1, "lanes": 1}]
        (self.folder / "two.json").write_text(json.dumps(trace))
        drawn = self.headway("figure", "two.json", "-o", "two.svg")
        self.assertEqual((drawn.status, drawn.err), (0, ""), drawn)
        text = (self.folder / "two.svg").read_text()
        self.assertEqual(text.count(" and Second, 1 worker"), 2)  # under the title, and in the caption
        self.assertIn("on both devices at most", text)
        drawn = self.headway("figure", "t.json", "-o", "one.svg")
        self.assertNotIn("both devices", (self.folder / "one.svg").read_text())

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_impossible_lanes_are_reported(self):
        trace, _ = self.exported("t.json", "--device", "simulated")
        issues = [e for e in trace["traceEvents"] if e.get("cat") == "issue"]
        for lane, said in ((160, "op 5: 160"), (-3, "op 5: -3"), ("one", 'op 5: "one"')):
            issues[4]["args"]["lane"] = lane
            (self.folder / "odd.json").write_text(json.dumps(trace))
            drawn = self.headway("figure", "odd.json", "-o", "odd.svg")
            self.assertEqual(drawn.status, 0, drawn)
            self.assertIn("1 issue names a lane that does not exist (the first, " + said, drawn.err)
        issues[4]["args"]["lane"] = 0
        trace["otherData"]["more_devices"] = [{"kind": "cpu", "name": "Second", "first_lane": 77, "lanes": 1}]
        (self.folder / "odd.json").write_text(json.dumps(trace))
        drawn = self.headway("figure", "odd.json", "-o", "odd.svg")
        self.assertEqual(drawn.status, 0, drawn)
        self.assertIn("The lanes of Second are not possible (first_lane 77, lanes 1, and there are 2 in all)", drawn.err)

    def test_the_report_explains_the_duration(self):
        _, report = self.exported("t.json", "--device", "simulated", "--barrier", "minibatch")
        path = report["critical_path"]
        self.assertEqual(sum(v for k, v in path.items() if k != "ops"), report["total_ns"])
        self.assertEqual(sum(report["idle"].values()), report["backend_idle_ns"])
        self.assertLess(report["without_barriers_ns"], report["total_ns"])
        for wait in report["waits"]:
            split = wait["split"]
            self.assertEqual(split["before_ns"] + split["own_ns"] + split["handover_ns"] + split["return_ns"],
                             wait["ns"])
            self.assertEqual(split["before_ops"] + split["own_ops"], wait["caused_by_count"])

    def test_repeats_show_median_and_spread_and_the_warm_up_separately(self):
        ran = self.headway("run", "increment", "--set", "n=50", "--device", "simulated", "--repeat", 3, "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        report = json.loads((self.folder / "r.json").read_text())
        repeat = report["repeat"]
        self.assertEqual(repeat["runs"], 3)
        self.assertEqual(repeat["totals_ns"], [report["total_ns"]] * 3)
        self.assertEqual(repeat["total_ns"], {"median": report["total_ns"], "least": report["total_ns"],
                                              "most": report["total_ns"], "warmup": report["total_ns"],
                                              "each": [report["total_ns"]] * 3})
        self.assertIn("median", ran.err)
        # Every option is passed to each of the runs.
        ran = self.headway("run", "increment", "--set", "n=50", "--device", "simulated", "--issue", "graph",
                           "--repeat", 2, "--report", "g.json")
        self.assertEqual(ran.status, 0, ran)
        once = self.headway("run", "increment", "--set", "n=50", "--device", "simulated", "--issue", "graph",
                            "--report", "o.json")
        self.assertEqual(once.status, 0, once)
        graph, alone = (json.loads((self.folder / name).read_text()) for name in ("g.json", "o.json"))
        self.assertEqual(graph["ops"], alone["ops"])
        self.assertEqual(self.headway("run", "increment", "--repeat", 0).status, 2)

    def test_repeats_of_a_program_without_ops_have_no_medians_of_ops(self):
        (self.folder / "p.py").write_text("print(1)\n")
        ran = self.headway("run", "p.py", "--device", "simulated", "--repeat", 2, "--report", "r.json")
        self.assertEqual(ran.status, 0, ran)
        repeat = json.loads((self.folder / "r.json").read_text())["repeat"]
        self.assertEqual(repeat["t3_ns"], {"median": None, "least": None, "most": None, "warmup": None,
                                           "each": [None, None]})
        self.assertRegex(ran.err, r"t₃ +– +– +– +–\n")

    def lesson_with_a_question(self, program, choices):
        """A lesson's folder; `choices`: when the one that is called yes is right."""
        lesson = self.folder / "asks"
        lesson.mkdir()
        (lesson / "lesson.md").write_text("---\nid: asks\ntitle: Asks\nprogram: p.py\n---\nText.\n")
        (lesson / "p.py").write_text("import headway as hw\nx = hw.ones(4) + 1\nhw.waitall()\n" + program)
        (lesson / "questions.yaml").write_text(
            f"- ask: Is it so?\n  choices:\n    - {{text: 'yes', right: \"{choices}\"}}\n"
            f"    - {{text: 'no', right: \"not ({choices})\"}}\n  answer: It is.\n")
        return f"{lesson}/"

    def test_answers_know_what_was_printed(self):
        lesson = self.lesson_with_a_question("print('one')\nprint('two')\n", "printed[1] == 'two'")
        ran = self.headway("run", lesson, "--device", "simulated", "--answers")
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("Is it so?\n  yes\n", ran.out)

    def test_a_run_that_is_not_complete_answers_no_question(self):
        lesson = self.lesson_with_a_question("raise ValueError('here')\n", "count(ops) == 2")
        ran = self.headway("run", lesson, "--device", "simulated", "--answers")
        self.assertEqual((ran.status, ran.out), (1, ""), ran)
        self.assertIn("the questions are not answered, because the run is not complete", ran.err)

    def test_answers_that_stdout_does_not_take_are_an_error(self):
        lesson = self.lesson_with_a_question("", "count(ops) == 2")
        with open("/dev/full", "wb") as full:
            ran = self.headway("run", lesson, "--device", "simulated", "--answers", stdout=full)
        self.assertEqual(ran.status, 2, ran.err)
        self.assertIn("cannot be written to stdout: No space left on device\n", ran.err)

    def test_a_program_that_is_not_a_lesson_does_not_run_for_its_answers(self):
        (self.folder / "p.py").write_text("print('ran')\n")
        ran = self.headway("run", "p.py", "--device", "simulated", "--answers", "--report", "r.json")
        self.assertEqual((ran.status, ran.out), (2, ""), ran)
        self.assertEqual(ran.err, "headway: --answers is for lessons, and p.py is not a lesson\n")
        self.assertFalse((self.folder / "r.json").exists())

    def test_a_series_that_fails_writes_the_run_that_failed(self):
        (self.folder / "p.py").write_text(
            "import os\nfrom mxnet import np, npx\nx = np.ones(4) + 1\nnpx.waitall()\n"
            "open('count', 'a').write('.')\nif os.path.getsize('count') == 3:\n    raise ValueError('the third')\n")
        ran = self.headway("run", "p.py", "--device", "simulated", "--repeat", 5, "--report", "r.json")
        self.assertEqual(ran.status, 1, ran)
        self.assertIn("the third", ran.err)
        self.assertIn("run 3 of 6", ran.err)
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(report["end"]["verdict"], "failed")
        self.assertEqual(report["ops"], 2)
        self.assertNotIn("repeat", report)

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_the_same_run_gives_the_same_bytes(self):
        # Only the date may differ between two runs, so compare within one day.
        for turn in ("a", "b"):
            ran = self.headway("run", *SMALL, "--device", "simulated", "--trace", f"{turn}.json")
            self.assertEqual(ran.status, 0, ran)
            for size in ("slide", "column", "two-columns", "poster", "700x500"):
                for kind in ("png", "svg", "pdf"):
                    drawn = self.headway("figure", f"{turn}.json", "-o", f"{turn}-{size}.{kind}", "--size", size)
                    self.assertEqual(drawn.status, 0, drawn)
                    if turn == "b":
                        self.assertEqual((self.folder / f"a-{size}.{kind}").read_bytes(),
                                         (self.folder / f"b-{size}.{kind}").read_bytes(), f"{size} {kind}")
            drawn = self.headway("figure", f"{turn}.json", "-o", f"{turn}-frames/%02d.png", "--seconds", 0.6, "--fps", 5)
            self.assertEqual(drawn.status, 0, drawn)
        names = sorted(os.listdir(self.folder / "a-frames"))
        self.assertEqual(names, ["01.png", "02.png", "03.png"])
        for name in names:
            self.assertEqual((self.folder / "a-frames" / name).read_bytes(),
                             (self.folder / "b-frames" / name).read_bytes(), name)

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_a_figure_has_the_requested_size(self):
        def pixels(name):
            data = (self.folder / name).read_bytes()
            return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")

        ran = self.headway("run", *SMALL, "--device", "simulated", "--trace", "t.json", "--figure", "run.png",
                           "--figure-size", "slide", "--figure-scale", 3, "--figure-theme", "projector")
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(pixels("run.png"), (3840, 2160))
        for size, scale, expected in (("slide", 1, (1280, 720)), ("poster", 1, (2268, 1276)), ("column", 3, (964, None)),
                                      ("two-columns", 2, (1346, None)), ("800x600", 2, (1600, 1200))):
            drawn = self.headway("figure", "t.json", "-o", "f.png", "--size", size, "--scale", scale)
            self.assertEqual(drawn.status, 0, drawn)
            width, height = pixels("f.png")
            self.assertEqual((width, height if expected[1] else None), expected, size)
        # Without a size a page is as high as its rows: this trace has one.
        spans = [{"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 10 * i, "dur": 9} for i in range(20)]
        (self.folder / "one.json").write_text(json.dumps({"traceEvents": spans}))
        for size, high in (([], False), (["--size", "1600x900"], True)):
            drawn = self.headway("figure", "one.json", "-o", "f.png", *size)
            self.assertEqual(drawn.status, 0, drawn)
            self.assertEqual(pixels("f.png")[0], 1600)
            self.assertEqual(pixels("f.png")[1] == 900, high)
        drawn = self.headway("figure", "t.json", "-o", "part.svg", "--from", "0.1ms", "--to", "200us", "--title", "Mine & yours")
        self.assertEqual(drawn.status, 0, drawn)
        part = (self.folder / "part.svg").read_text()
        self.assertIn("Mine &amp; yours", part)
        self.assertIn("Shown: 100 µs to 200 µs", part)
        narrow = self.headway("figure", "t.json", "-o", "no.svg", "--size", "639x360")
        self.assertIn("640x360 to 10000x10000", narrow.err)
        least = self.headway("figure", "t.json", "-o", "f.png", "--size", "640x360")
        self.assertEqual(least.status, 0, least)
        for ending in ("no.jpg", "no"):
            refused = self.headway("figure", "t.json", "-o", ending)
            self.assertEqual(refused.status, 2, refused)
            for works in (".png", ".svg", ".pdf", ".gif", ".mp4", "frame-%04d.png"):
                self.assertIn(works, refused.err)
        for wrong in (["--size", "huge"], ["--size", "1x1"], ["--size", "200x100"], ["--scale", "9"], ["--scale", "x"], ["--theme", "pink"],
                      ["--from", "soon"], ["--from", "2ms", "--to", "1ms"], ["--from", "1000s"], ["--fps", "0"],
                      ["--seconds", "nan"]):
            refused = self.headway("figure", "t.json", "-o", "no.svg", *wrong)
            self.assertEqual(refused.status, 2, (wrong, refused))
            self.assertFalse((self.folder / "no.svg").exists(), wrong)
            self.assertEqual(refused.err.count("\n"), 1, refused)

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_lanes_follow_the_requested_arrangement(self):
        ran = self.headway("run", *SMALL, "--device", "simulated", "--trace", "t.json", "--figure", "plain.svg")
        self.assertEqual(ran.status, 0, ran)
        own = self.folder / "lanes.json"
        own.write_text('{"rows": [{"row": "memory", "pinned": true, "name": "Bytes held"}]}')
        data = self.folder / "data"
        (data / "headway").mkdir(parents=True)
        (data / "headway" / "lanes.json").write_bytes(own.read_bytes())

        def drawn(*options):
            done = self.headway("figure", "t.json", "-o", "f.svg", *options, environment={"XDG_DATA_HOME": str(data)})
            self.assertEqual(done.status, 0, done)
            return (self.folder / "f.svg").read_text()

        plain = (self.folder / "plain.svg").read_text()
        self.assertEqual(drawn(), plain)  # only if requested
        arranged = drawn("--lanes", "lanes.json")
        self.assertIn("Bytes held", arranged)
        self.assertLess(arranged.index("Bytes held"), arranged.index("Frontend"))
        self.assertEqual(drawn("--lanes", "window"), arranged)
        # Unknown settings are ignored and reported: one sentence each, with its position.
        own.write_text('{"rows": [{"row": "memory", "pinned": true, "name": "Bytes held", "heigth": 3},'
                       ' {"row": "lnae 0", "pinned": 1}], "colour": "red"}')
        drawn_with = self.headway("figure", "t.json", "-o", "f.svg", "--lanes", "lanes.json")
        self.assertEqual(drawn_with.status, 0, drawn_with)
        self.assertEqual((self.folder / "f.svg").read_text(), arranged)
        self.assertEqual(drawn_with.err.splitlines(), [
            'headway: lanes.json: unknown key "colour" next to rows; it was ignored',
            'headway: lanes.json: unknown key "heigth" of row 1; it was ignored',
            "headway: lanes.json: pinned of row 2 is not true or false; it was ignored",
            'headway: lanes.json: "lnae 0", row 2, is not a row of the timeline',
        ])
        # Arrangements for another program or device do not apply.
        bytes_held = '"rows": [{"row": "memory", "pinned": true, "name": "Bytes held"}]'
        for program, device, expected in ((SMALL[0], "simulated", arranged), (SMALL[0], "cuda", plain), ("other", "simulated", plain)):
            own.write_text('{"programs": [{"program": "%s", "device": "%s", %s}]}' % (program, device, bytes_held))
            drawn_with = self.headway("figure", "t.json", "-o", "f.svg", "--lanes", "lanes.json")
            self.assertEqual((self.folder / "f.svg").read_text(), expected, (program, device))
            self.assertEqual("No lanes are arranged" in drawn_with.err, expected == plain, drawn_with)
        own.write_text('{"rows": [], "programs": [{"program": "%s", "device": "simulated", %s}, {"program": 3}]}' % (SMALL[0], bytes_held))
        drawn_with = self.headway("figure", "t.json", "-o", "f.svg", "--lanes", "lanes.json")
        self.assertEqual((self.folder / "f.svg").read_text(), arranged)
        self.assertEqual(drawn_with.err, "headway: lanes.json: program 2 has no name or no list of rows; it was ignored\n")
        (self.folder / "bad.json").write_text("[]")
        for wrong in ("none.json", "bad.json"):
            refused = self.headway("figure", "t.json", "-o", "no.svg", "--lanes", wrong)
            self.assertEqual(refused.status, 2, refused)
            self.assertIn(wrong, refused.err)
            self.assertFalse((self.folder / "no.svg").exists())

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_figures_have_the_format_of_their_extension(self):
        begins = {"f.png": b"\x89PNG\r\n", "f.svg": b"<", "f.pdf": b"%PDF-"}
        for name, begin in begins.items():
            ran = self.headway("run", *SMALL, "--device", "simulated", "--figure", name)
            self.assertEqual(ran.status, 0, ran)
            self.assertTrue((self.folder / name).read_bytes().startswith(begin), name)
        self.assertIn("SIMULATED: times come from a cost model, not from a clock.", (self.folder / "f.svg").read_text())
        ran = self.headway("run", *SMALL, "--device", "simulated", "--order", "3", "--figure", "f.svg", "--replace")
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("SIMULATED: times do not come from a clock.", (self.folder / "f.svg").read_text())
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(begins))


if __name__ == "__main__":
    main()
