"""Every lesson runs, and shows what it claims: exactly on the simulated device, by order and facts on the CPU."""

import json
import subprocess
import unittest

from running import RUNNER, main, run

SMALL = {
    "warm-up": ["size=50"],
    "matmul": ["size=50"],
    "who-waits": ["size=50"],
    "frontend-and-backend": ["size=50"],
    "barriers": ["size=600"],
    "blockers": ["size=50"],
    "control-flow": ["size=50"],
    "small-copies": ["size=50"],
    "increment": ["n=500"],
    "streams": ["size=400"],
    "train": ["batches=5", "batch_size=16", "features=16", "hidden=16"],
    "limits": ["batches=5"],
    "free-policies": ["size=50"],
    "eager-and-graph": ["size=50"],
    "exercise-overlap": ["size=50"],
    "exercise-cpu-and-gpu": ["size=50"],
    "exercise-waits": ["size=50"],
    "exercise-cpu-product": ["size=50"],
}


def lesson(name, *options, device="simulated", **values):
    sets = {**dict(s.split("=") for s in SMALL.get(name, [])), **{k: str(v) for k, v in values.items()}}
    words = [w for k, v in sets.items() for w in ("--set", f"{k}={v}")]
    return run(name, "--device", device, *words, *options)


class Lessons(unittest.TestCase):
    def good(self, outcome):
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def test_all_run_on_both_devices_and_in_every_tab(self):
        listed = json.loads(subprocess.run([RUNNER, "lessons", "--json"], capture_output=True, text=True).stdout)
        listed = listed["lessons"] if isinstance(listed, dict) else listed
        self.assertGreaterEqual(len(listed), 22)
        for entry in listed:
            for device in ("cpu", "simulated"):
                with self.subTest(lesson=entry["id"], device=device):
                    self.good(lesson(entry["id"], device=device))
        for tab in ("pytorch", "mxnet", "tensorflow"):
            self.good(lesson("dependency-graph", "--tab", tab))
        self.good(lesson("exercise-cpu-product", "--tab", "mxnet", device="cpu"))

    def test_simulated_runs_are_the_same_twice(self):
        def facts():
            report = self.good(lesson("metrics")).report
            del report["machine"], report["headway"]
            return report

        self.assertEqual(facts(), facts())

    def test_three_stages_are_predicted_exactly(self):
        for wait in ("once", "each"):
            for size in (2, 60000):
                report = self.good(lesson("three-stages", wait=wait, size=size, n=200)).report
                self.assertEqual(report["total_ns"], report["predicted_ns"], (wait, size))

    def test_barriers_leave_others_unfinished(self):
        outcome = self.good(lesson("barriers"))
        one = outcome.waits("wait_to_read")[0]
        everything = outcome.waits("waitall")[-1]
        self.assertEqual(len(one["caused_by"]), 1)
        self.assertGreater(len(everything["caused_by"]), 1)

    def test_blockers_wait_each_in_its_own_name_and_shape_does_not(self):
        kinds = [w["kind"] for w in self.good(lesson("blockers")).waits() if w["kind"] != "waitall"]
        self.assertEqual(kinds, ["print", "item", "item", "numpy"])

    def test_control_flow_waits_in_each_step_or_never(self):
        self.assertEqual(len(self.good(lesson("control-flow", decide="each")).waits("boolean")), 12)
        self.assertEqual(len(self.good(lesson("control-flow", decide="never")).waits("boolean")), 0)

    def test_metrics_wait_once_or_in_each_minibatch_and_agree(self):
        kept = self.good(lesson("metrics", report="end"))
        printed = self.good(lesson("metrics", report="each"))
        self.assertEqual(len(kept.waits("item")), 1)
        self.assertEqual(len(printed.waits("item")), 20)
        losses = [float(line.split()[-1]) for line in printed.out.splitlines()]
        self.assertAlmostEqual(float(kept.out.split()[-1]), sum(losses) / len(losses), places=3)

    def test_streams_overlap_only_what_is_independent(self):
        independent = self.good(lesson("streams", depend="independent")).report
        chain = self.good(lesson("streams", depend="chain")).report
        self.assertGreater(independent["backend_busy_ns"], 1.5 * independent["total_ns"])
        self.assertLessEqual(chain["backend_busy_ns"], chain["total_ns"])

    def test_free_policies_differ_in_memory_and_not_in_values(self):
        peaks = {
            policy: self.good(lesson("free-policies", "--free-policy", policy, "--streams", "1", size=300)).report[
                "live_bytes_peak"
            ]
            for policy in ("finish", "stream")
        }
        self.assertGreaterEqual(peaks["finish"], peaks["stream"])

    def test_the_overlap_exercise_keeps_one_minibatch_ahead(self):
        outcome = self.good(lesson("exercise-overlap"))
        self.assertEqual(len(outcome.waits("wait_to_read")), 11)
        self.assertLessEqual(outcome.report["headway_max"], 9)

    def test_eager_waits_after_each_op_and_traced_does_not(self):
        outcome = self.good(lesson("eager-and-graph", steps=4))
        eager = next(s for s in outcome.report["scopes"] if s["name"] == "eager")
        traced = next(s for s in outcome.report["scopes"] if s["name"] == "traced")
        self.assertGreater(eager["ns"], traced["ns"])


if __name__ == "__main__":
    main()
