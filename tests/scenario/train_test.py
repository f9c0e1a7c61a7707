"""The training loop on the CPU: how a barrier per minibatch changes headway and memory, but not the results."""

import unittest

from scenario import Scenario, main, settings, waits_of

SIZE = settings(batches=60, batch_size=256, hidden=512)


class Train(Scenario):
    @classmethod
    def setUpClass(cls):
        cls.reports = {}

    def report(self, *options):
        if options not in self.reports:
            self.reports[options] = self.run_program("train", *SIZE, *options)
        return self.reports[options]

    def test_without_a_barrier_headway_and_memory_pile_up(self):
        none = self.report("--barrier", "none")
        minibatch = self.report("--barrier", "minibatch")
        self.assertGreaterEqual(none["headway_max"], 10 * minibatch["headway_max"])
        self.assertGreaterEqual(none["live_bytes_peak"], 10 * minibatch["live_bytes_peak"])
        self.assertGreaterEqual(none["pending_bytes_peak"], 10 * minibatch["pending_bytes_peak"])
        self.assertEqual(none["ops"], minibatch["ops"])

    def test_the_training_is_the_same_whatever_the_barrier(self):
        losses = self.report("--barrier", "none")["result"]["losses"]
        self.assertEqual(len(losses), 60)
        self.assertLess(losses[-1], losses[0])
        for options in (("--barrier", "minibatch"), ("--barrier", "behind:1"),
                        ("--barrier", "none", "--workers", "2"), ("--barrier", "none", "--free-policy", "lazy")):
            self.assert_near(losses, self.report(*options)["result"]["losses"])

    def test_as_written_it_waits_at_each_minibatch(self):
        report = self.report()
        self.assertEqual(report["settings"]["barrier"], "minibatch")
        self.assertEqual(len(waits_of(report, "minibatch_barrier")), 60)
        self.assertEqual(len(report["minibatches"]), 60)
        for before, after in zip(report["minibatches"], report["minibatches"][1:]):
            self.assertLessEqual(before["execute_end_ns"], after["issue_begin_ns"])

    def test_without_a_barrier_nothing_waits_but_the_end(self):
        report = self.report("--barrier", "none")
        self.assertEqual([wait["kind"] for wait in report["waits"]], ["waitall"])

    def test_one_behind_lies_between(self):
        behind = self.report("--barrier", "behind:1")
        batches = behind["minibatches"]
        for b in range(len(batches) - 2):
            self.assertLessEqual(batches[b]["execute_end_ns"], batches[b + 2]["issue_begin_ns"])
        for name in ("headway_max", "live_bytes_peak"):
            self.assertLess(behind[name], self.report("--barrier", "none")[name])
            self.assertGreaterEqual(behind[name], self.report("--barrier", "minibatch")[name])
        self.assertEqual(len(waits_of(behind, "minibatch_barrier")), 59)

    def test_an_op_barrier_leaves_no_headway(self):
        report = self.run_program("train", *settings(batches=3), "--barrier", "op")
        self.assertEqual(report["headway_max"], 1)
        self.assertEqual(len(waits_of(report, "op_barrier")), report["ops"])

    def test_the_queue_limit_bounds_headway(self):
        report = self.report("--barrier", "none", "--queue-limit", "64")
        self.assertLessEqual(report["headway_max"], 64)
        self.assertGreater(len(waits_of(report, "queue_limit")), 0)
        self.assertEqual(report["settings"]["queue_limit"], 64)

    def test_the_stream_policy_removes_the_growth(self):
        stream = self.report("--barrier", "none", "--free-policy", "stream")
        self.assertGreaterEqual(self.report("--barrier", "none")["live_bytes_peak"], 10 * stream["live_bytes_peak"])
        self.assertGreaterEqual(stream["headway_max"], 10 * self.report("--barrier", "minibatch")["headway_max"])

    def test_the_report_has_every_number(self):
        report = self.report("--barrier", "none")
        for name in ("headway", "program", "device", "machine", "settings", "ops", "total_ns", "issue_ns", "blocked_ns",
                     "backend_busy_ns", "backend_idle_ns", "recorder_ns", "t1_ns", "t2_ns", "t3_ns", "regime",
                     "predicted_ns", "headway_max", "live_bytes_peak", "pending_bytes_peak", "rss_bytes_peak", "waits",
                     "lines", "minibatches", "scopes", "error"):
            self.assertIn(name, report)
        self.assertEqual(report["program"], "train")
        self.assertEqual(report["device"]["kind"], "cpu")
        self.assertFalse(report["device"]["simulated"])
        self.assertIsNone(report["error"])
        # On a busy machine no side may need most of the time.
        self.assertIn(report["regime"], ("issue-bound", "execution-bound", "frontend-bound", "dependency-bound",
                                         "about equal", "mixed"))
        self.assertEqual(report["lost_records"], 0)
        self.assertGreater(report["recorder_ns"], 0)
        self.assertEqual(sum(line["ops"] for line in report["lines"]), report["ops"])
        self.assertTrue(all(line["line"] > 0 and line["file"] == "train.cpp" for line in report["lines"]))
        self.assertEqual([scope["name"] for scope in report["scopes"]], ["training"])

    def test_it_prints_every_fifty_batches_and_the_memory(self):
        lines = self.report("--barrier", "none")["stdout"].splitlines()
        self.assertEqual(len([line for line in lines if line.startswith("batch 50, time")]), 1)
        (memory,) = [line for line in lines if line.startswith("increased memory: ")]
        self.assertIn("resident memory", memory)
        simulated = self.run_program("train", *settings(batches=3), "--device", "simulated")
        (memory,) = [line for line in simulated["stdout"].splitlines() if line.startswith("increased memory: ")]
        self.assertIn("live tensors", memory)

    def test_the_seed_decides(self):
        small = settings(batches=3, batch_size=8, features=8, hidden=8)
        one = self.run_program("train", *small, "--seed", 1)["result"]["losses"]
        self.assert_near(one, self.run_program("train", *small, "--seed", 1)["result"]["losses"], 0)
        self.assertNotEqual(one, self.run_program("train", *small, "--seed", 2)["result"]["losses"])


if __name__ == "__main__":
    main()
