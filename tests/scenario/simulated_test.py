"""The simulated device: exact, deterministic to the byte, and always labelled."""

import json

from scenario import Scenario, main, settings

LARGE = settings(batches=20, batch_size=512, features=16, hidden=2048)


class Simulated(Scenario):
    def simulated(self, *arguments):
        return self.run_program(*arguments, "--device", "simulated")

    def test_the_prediction_is_exact(self):
        for wait in ("once", "each"):
            for n in (1, 2, 1000):
                for size in (2, 100000):
                    for streams in (1, 2):
                        with self.subTest(wait=wait, n=n, size=size, streams=streams):
                            report = self.simulated("increment", *settings(n=n, wait=wait, size=size), "--streams",
                                                    streams)
                            self.assertEqual(report["predicted_ns"], report["total_ns"])

    def test_the_formulas_of_the_chapter_hold(self):
        once = self.simulated("increment", *settings(n=100), "--streams", 1)
        t1, t2, t3 = (once[name] for name in ("t1_ns", "t2_ns", "t3_ns"))
        self.assertEqual(once["total_ns"], max(t1 + 100 * t2, 100 * t1 + t2) + t3)
        each = self.simulated("increment", *settings(n=100, wait="each"), "--streams", 1)
        self.assertEqual(each["total_ns"], 100 * (t1 + t2 + t3))

    def test_a_faster_backend_makes_it_issue_bound(self):
        report = self.simulated("increment", *settings(n=100))
        self.assertLess(report["t2_ns"], report["t1_ns"])
        self.assertEqual(report["regime"], "issue-bound")
        slow = self.simulated("matmul", *settings(size=1000, reps=3))
        self.assertGreater(slow["t2_ns"], slow["t1_ns"])
        self.assertEqual(slow["regime"], "execution-bound")

    def test_two_runs_are_the_same_to_the_byte(self):
        for arguments in (["increment"], ["matmul", *settings(size=60)], ["train", *settings(batches=5)],
                          ["train", *settings(batches=5), "--barrier", "none", "--free-policy", "lazy"]):
            with self.subTest(arguments):
                first, second = self.folder / "1.json", self.folder / "2.json"
                outputs = []
                for path in (first, second):
                    ran = self.headway("run", *arguments, "--device", "simulated", "--report", path)
                    self.assertEqual(ran.status, 0, ran)
                    outputs.append(ran.out)
                self.assertEqual(first.read_bytes(), second.read_bytes())
                self.assertEqual(outputs[0], outputs[1])

    def test_output_is_labelled_simulated(self):
        ran = self.headway("run", "increment", "--device", "simulated")
        self.assertIn("SIMULATED", ran.err)
        report = self.simulated("increment")
        self.assertTrue(report["device"]["simulated"])
        self.assertEqual(report["device"]["kind"], "simulated")
        trace = self.folder / "t.json"
        self.headway("run", "increment", *settings(n=3), "--device", "simulated", "--trace", trace)
        self.assertIn("(SIMULATED)", trace.read_text())

    def test_the_barrier_costs_little_and_saves_memory(self):
        none = self.simulated("train", *LARGE, "--barrier", "none")
        behind = self.simulated("train", *LARGE, "--barrier", "behind:1")
        minibatch = self.simulated("train", *LARGE, "--barrier", "minibatch")
        self.assertEqual(none["regime"], "dependency-bound")  # on two streams each op of the chain waits for another
        self.assertLessEqual(none["total_ns"], behind["total_ns"])
        self.assertLessEqual(behind["total_ns"], minibatch["total_ns"])
        self.assertGreaterEqual(none["live_bytes_peak"], 5 * minibatch["live_bytes_peak"])
        self.assertLess(behind["live_bytes_peak"], none["live_bytes_peak"])
        self.assertGreaterEqual(behind["live_bytes_peak"], minibatch["live_bytes_peak"])
        self.assert_near(none["result"]["losses"], minibatch["result"]["losses"])

    def test_the_cpu_trains_to_the_same_losses(self):
        size = settings(batches=5)
        self.assert_near(self.simulated("train", *size)["result"]["losses"],
                         self.run_program("train", *size, "--device", "cpu")["result"]["losses"])

    def test_streams_are_lanes(self):
        trace = self.folder / "t.json"
        for streams in (1, 3):
            self.headway("run", "increment", *settings(n=30, size=100000), "--device", "simulated", "--streams",
                         streams, "--trace", trace)
            events = json.loads(trace.read_text())["traceEvents"]
            lanes = {event["tid"] for event in events if event.get("cat", "").startswith("execute")}
            self.assertEqual(len(lanes), streams)


if __name__ == "__main__":
    main()
