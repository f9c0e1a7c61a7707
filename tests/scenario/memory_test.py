"""Budgets: too much memory is one error at the op that allocates, and a barrier avoids it."""

from scenario import Scenario, main, settings

SIZE = settings(batches=60, batch_size=256, hidden=512)


class Memory(Scenario):
    def test_a_budget_without_a_barrier_ends_at_an_op_and_a_line(self):
        report = self.run_program("train", *SIZE, "--budget", "64M", "--barrier", "none", status=1)
        error = report["error"]
        self.assertGreater(error["op"], 0)
        self.assertEqual(error["file"], "train.cpp")
        self.assertGreater(error["line"], 0)
        self.assertIn("out of memory", error["message"])
        self.assertLessEqual(report["live_bytes_peak"], 64 << 20)
        # On a slow machine a line before it says that the ops issued so far are still being executed.
        first = next(line for line in report["stderr"].splitlines() if "out of memory" in line)
        self.assertIn(f"op {error['op']}", first)
        self.assertIn(f"train.cpp:{error['line']}", first)
        self.assertEqual(report["stderr"].count("out of memory"), 1)

    def test_with_the_barrier_the_same_budget_is_enough(self):
        report = self.run_program("train", *SIZE, "--budget", "64M", "--barrier", "minibatch")
        self.assertIsNone(report["error"])
        self.assertLessEqual(report["live_bytes_peak"], 64 << 20)

    def test_the_same_holds_in_virtual_time(self):
        # Sizes at which the simulated backend is the slower side.
        size = settings(batches=30, batch_size=512, hidden=4096, features=16)
        report = self.run_program("train", *size, "--budget", "256M", "--barrier", "none", "--device", "simulated",
                                  status=1)
        self.assertIn("out of memory", report["error"]["message"])
        self.run_program("train", *size, "--budget", "256M", "--barrier", "minibatch", "--device", "simulated")

    def test_a_budget_below_the_first_tensor_is_an_error_too(self):
        report = self.run_program("increment", "--budget", "1", status=1)
        self.assertEqual(report["error"]["op"], 1)
        self.assertIn("it asks for 8 B, and 0 B of the budget of 1 B are live", report["error"]["message"])

    def test_the_report_contains_the_budget(self):
        for options, chosen in (((), None), (("--budget", "none"), "none"), (("--budget", "1M"), 1 << 20)):
            settings = self.run_program("increment", "--set", "n=10", *options)["settings"]
            self.assertEqual(settings["budget_is_default"], chosen is None)
            if chosen is None:
                self.assertGreater(settings["budget"], 1 << 20)
            else:
                self.assertEqual(settings["budget"], None if chosen == "none" else chosen)

    def test_reserved_memory_is_never_below_the_live_bytes(self):
        for policy in ("finish", "stream", "lazy"):
            report = self.run_program("train", *SIZE, "--barrier", "none", "--free-policy", policy)
            self.assertGreaterEqual(report["reserved_bytes_peak"], report["live_bytes_peak"], policy)
            self.assertGreaterEqual(report["devices"][0]["reserved_bytes_peak"], report["live_bytes_peak"], policy)

    def test_each_policy_respects_the_budget(self):
        for policy in ("finish", "stream", "lazy"):
            with self.subTest(policy):
                ran = self.headway("run", "train", *settings(batches=4), "--free-policy", policy, "--budget", "1M",
                                   "--barrier", "none")
                self.assertEqual(ran.status, 1, ran)
                self.assertIn("out of memory", ran.err)
                self.assertIn("train.cpp:", ran.err)


if __name__ == "__main__":
    main()
