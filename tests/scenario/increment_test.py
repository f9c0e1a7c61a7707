"""y = x + 1, waited for each time or once."""

from scenario import Scenario, main, settings, waits_of


class Increment(Scenario):
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
        self.assertEqual(report["prediction"]["formula"], "N·(t1+h+t2+t3)")

    def test_once_waits_once(self):
        report = self.run_program("increment", *settings(n=10000), "--workers", 1)
        self.assertEqual(report["ops"], 10000)
        self.assertEqual([wait["kind"] for wait in report["waits"]], ["waitall"])
        self.assertEqual(report["prediction"]["formula"], "max(t1+N·t2, N·t1+t2)+h+t3")
        self.assertGreater(report["predicted_ns"], 0)
        self.assertEqual([scope["name"] for scope in report["scopes"]], ["wait once"])

    def test_the_warm_up_is_kept_apart(self):
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
