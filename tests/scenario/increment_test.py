"""y = x + 1 with a wait after each op or one at the end."""

import json

from scenario import Scenario, main, settings, waits_of


class Increment(Scenario):
    def formula_or_reason(self, report, formula):
        """On a real machine, recording and other work of the frontend may be too long for the formula to apply."""
        prediction = report["prediction"]
        self.assertIn(prediction["formula"], ("", formula))
        self.assertEqual(prediction["formula"] == "", prediction["no_formula"] is not None)

    def test_the_formula_is_given_where_it_explains_the_run(self):
        for wait, formula in (("each", "N·(t₁+h+t₂+t₃)"), ("once", "max(t₁+N·t₂, N·t₁+t₂)+h+t₃")):
            report = self.run_program("increment", *settings(n=200, wait=wait), "--device", "simulated", "--streams", 1)
            self.assertEqual(report["prediction"]["formula"], formula)
            self.assertEqual(report["prediction"]["formula_ns"], report["total_ns"])
        report = self.run_program("train", *settings(batches=3), "--device", "simulated", "--streams", 1,
                                  "--barrier", "none")
        self.assertEqual(report["prediction"]["formula"], "")
        self.assertIn("several kinds", report["prediction"]["no_formula"])

    def test_a_barrier_between_minibatches_is_not_named_where_there_are_none(self):
        ran = self.headway("run", "increment", *settings(n=10), "--barrier", "minibatch")
        self.assertIn("the program has no minibatches", ran.err)
        ran = self.headway("compare", "increment", "--device", "simulated", "--a", "--barrier minibatch",
                           "--b", "--barrier op", "--report", "r.json")
        verdict = json.loads((self.folder / "r.json").read_text())["verdict"]
        self.assertEqual((verdict["a"], verdict["b"]), ("barriers as written", "barrier after every op"))
        ran = self.headway("compare", "increment", "--device", "simulated", "--a", "--barrier minibatch",
                           "--b", "--barrier none", "--report", "r.json")
        verdict = json.loads((self.folder / "r.json").read_text())["verdict"]
        self.assertEqual((verdict["a"], verdict["b"]), (None, None))

    def test_an_option_without_effect_is_reported_once(self):
        ran = self.headway("run", "increment", *settings(n=10), "--device", "cpu", "--streams", "4")
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(ran.err.count("--streams has no effect on cpu"), 1)
        for options in (("--device", "simulated", "--streams", "4"), ("--device", "cpu", "--workers", "1")):
            ran = self.headway("run", "increment", *settings(n=10), *options)
            self.assertNotIn("no effect", ran.err)

    def test_each_time_waits_each_time(self):
        report = self.run_program("increment", *settings(n=2000, wait="each"))
        self.assertEqual(report["ops"], 2000)
        self.assertEqual(report["headway_max"], 1)
        self.assertEqual(len(waits_of(report, "wait_to_read")), 2000)
        # Each wait is for its own op.
        first = report["waits"][0]["caused_by"]
        for wait in report["waits"]:
            self.assertLessEqual(len(wait["caused_by"]), 1)
        self.assertLessEqual(len(first), 1)
        self.formula_or_reason(report, "N·(t₁+h+t₂+t₃)")

    def test_once_waits_once(self):
        report = self.run_program("increment", *settings(n=10000), "--workers", 1)
        self.assertEqual(report["ops"], 10000)
        self.assertEqual([wait["kind"] for wait in report["waits"]], ["waitall"])
        self.formula_or_reason(report, "max(t₁+N·t₂, N·t₁+t₂)+h+t₃")
        self.assertGreater(report["predicted_ns"], 0)
        self.assertEqual([scope["name"] for scope in report["scopes"]], ["wait once"])

    def test_the_warm_up_is_not_measured(self):
        report = self.run_program("increment", *settings(n=1))
        self.assertEqual(report["ops"], 1)
        self.assertGreater(report["warmup_ns"], 0)

    def test_large_tensors_are_execution_bound(self):
        report = self.run_program("increment", *settings(n=500, size=100000), "--workers", 1)
        self.assertEqual(report["regime"], "execution-bound")

    def test_matmul_shows_two_stopwatches(self):
        report = self.run_program("matmul", *settings(reps=4, size=300))
        self.assertEqual(report["ops"], 8)
        self.assertGreaterEqual(report["headway_max"], 2)
        lines = report["stdout"].splitlines()
        self.assertEqual(len(lines), 2)
        unit = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
        issued, finished = (float(line.split()[-2]) * unit[line.split()[-1]] for line in lines)
        self.assertLessEqual(issued, finished)
        each = self.run_program("matmul", *settings(reps=4, size=300, wait="each"), "--workers", 1)
        self.assertEqual(len(waits_of(each, "wait_to_read")), 4)


if __name__ == "__main__":
    main()
