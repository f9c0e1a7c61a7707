"""The parts of the frontend's time add up to the nanosecond, in every lesson and in random
programs. Sums that follow from the exported events are recomputed here independently."""

import json
import random

from scenario import Scenario, main, settings

PARTS = ("issue_ns", "work_ns", "drop_ns", "wait_ns", "record_ns", "descheduled_ns", "paused_ns", "unnamed_ns")
ENGINE = ("drop_ns", "record_ns", "descheduled_ns", "unnamed_ns")
SMALL = {
    "increment": settings(n=20000),
    "train": settings(batches=5, batch_size=16, features=16, hidden=16),
    "matmul": settings(reps=3, size=100),
}


def random_program(rng):
    """Random programs are in Python, which uses the same engine: ops, drops, waits, and its own work."""
    lines = ["import headway as hw", "x = hw.ones((8, 8))", "kept = [x]"]
    for _ in range(rng.randint(5, 40)):
        lines.append(rng.choice((
            "y = kept[-1] + 1",
            "kept.append(kept[-1] * 2)",
            "kept = kept[-2:]",
            "y = None",
            "for _ in range(%d): y = x + 1" % rng.randint(1, 300),
            "z = sum(i * i for i in range(%d))" % rng.randint(1, 20000),
            "hw.waitall()",
            "kept[-1].wait_to_read()",
        )))
    lines.append("hw.waitall()")
    return "\n".join(lines) + "\n"


class FrontendTime(Scenario):
    def check(self, report, what, simulated=False, share=0.01):
        parts = report["frontend"]
        for name in PARTS:
            self.assertGreaterEqual(parts[name], 0, f"{what}: {name}")
        self.assertEqual(sum(parts[name] for name in PARTS), report["total_ns"] + parts["paused_ns"], what)
        self.assertEqual(parts["wait_ns"], report["blocked_ns"], what)
        self.assertEqual(parts["record_ns"], report["recorder_ns"], what)
        if simulated:
            self.assertEqual({name: parts[name] for name in ENGINE}, dict.fromkeys(ENGINE, 0), what)
        else:
            # In a short run few events are measured, so each one's uncertainty counts.
            self.assertLessEqual(parts["unnamed_ns"], max(0.05 * report["total_ns"], 300_000), what)  # a busy machine

    def test_lessons(self):
        for lesson, values in SMALL.items():
            for device in ("cpu", "simulated"):
                for barrier in ("none", "op"):
                    report = self.run_program(lesson, *values, "--device", device, "--barrier", barrier)
                    self.check(report, f"{lesson} on {device}, barrier {barrier}", device == "simulated")

    def test_random_programs(self):
        rng = random.Random(15)
        for number in range(6):
            path = self.folder / f"p{number}.py"
            path.write_text(random_program(rng))
            for device in ("cpu", "simulated"):
                report = self.run_program(path, "--device", device)
                self.check(report, f"program {number} on {device}:\n{path.read_text()}", device == "simulated")

    def test_a_long_run_has_measured_its_recording_and_drops(self):
        report = self.run_program("increment", *settings(n=100000), "--device", "cpu", "--workers", 1)
        parts = report["frontend"]
        for name in ("record_each", "drop_each"):
            each = parts[name]
            self.assertGreater(each["count"], 100000 / 200)
            self.assertLessEqual(each["p10_ns"], each["median_ns"])
            self.assertLessEqual(each["median_ns"], each["p90_ns"])
        self.assertGreater(parts["record_ns"], 0)
        self.assertGreater(report["frontend_page_faults"]["minor"], -1)
        # Without prefaulting there would be at least one fault per hundred ops.
        self.assertLess(report["frontend_page_faults"]["minor"], 700)

    def test_the_exported_events_agree(self):
        path = self.folder / "trace.json"
        report = self.run_program("increment", *settings(n=5000), "--device", "cpu", "--trace", path)
        trace = json.loads(path.read_text())
        measured = trace["otherData"]["measured"]
        ns = lambda us: round(us * 1000)
        events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        issued = sum(ns(e["dur"]) for e in events if e.get("cat") == "issue"
                     and measured["first"] <= e["args"]["op"] <= measured["last"])
        self.assertEqual(issued, report["op_issue_ns"])
        self.assertEqual(sum(line["issue_ns"] for line in report["lines"]), issued)
        self.assertEqual(report["issue_ns"], report["frontend"]["issue_ns"])
        begin, end = ns(measured["begin_us"]), ns(measured["end_us"])
        costs = [e for e in events if e.get("cat") == "cost" and begin <= ns(e["ts"]) < end]
        # The engine's issue time is that of the records without clock readings and times without a core.
        self.assertLessEqual(report["frontend"]["issue_ns"], issued)
        kinds = {e["name"] for e in costs}
        self.assertLessEqual({"recording", "drop"}, kinds)
        self.assertGreaterEqual(sum(e["args"]["weight"] for e in costs if e["name"] == "drop"), 4000)
        self.assertEqual(sum(ns(e["dur"]) for e in events if e.get("cat", "").startswith("wait")
                             and begin <= ns(e["ts"]) < end), report["blocked_ns"])

    def test_t1_t2_t3_are_medians_with_their_spread(self):
        path = self.folder / "trace.json"
        report = self.run_program("increment", *settings(n=2001), "--device", "cpu", "--trace", path)
        trace = json.loads(path.read_text())
        measured = trace["otherData"]["measured"]
        each = sorted(round(e["dur"] * 1000) for e in trace["traceEvents"] if e["ph"] == "X"
                      and e.get("cat") == "issue" and measured["first"] <= e["args"]["op"] <= measured["last"])
        self.assertEqual(report["t1_ns"], each[(len(each) - 1) // 2])
        spread = report["t1"]
        self.assertEqual((spread["p10_ns"], spread["median_ns"], spread["p90_ns"], spread["most_ns"], spread["count"]),
                         (each[int(0.1 * (len(each) - 1))], report["t1_ns"], each[int(0.9 * (len(each) - 1))],
                          each[-1], len(each)))


if __name__ == "__main__":
    main()
