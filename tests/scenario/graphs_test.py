"""Graphs compute the same values as single ops with fewer issues, on every device; and the CUDA device on a fake CUDA
made of threads, if it was built."""

import json
import os
import unittest

from scenario import Scenario, main, settings

SIZE = settings(batches=12, batch_size=32, hidden=32)
FAKE = os.environ.get("HEADWAY_TEST_FAKE_CUDA")
FAKE_CUDA = {"HEADWAY_CUDA_DRIVER": "libc.so.6", "HEADWAY_CUDA_MODULE": FAKE or ""}


class Graphs(Scenario):
    def test_a_program_as_graphs_computes_the_same(self):
        for device in ("cpu", "simulated"):
            one_by_one = self.run_program("train", *SIZE, "--device", device)
            graphs = self.run_program("train", *SIZE, "--device", device, "--issue", "graph")
            self.assertEqual(graphs["settings"]["issue"], "graph")
            self.assert_near(one_by_one["result"]["losses"], graphs["result"]["losses"])
            self.assertEqual(one_by_one["parts"], 0)
            self.assertLess(graphs["ops"] * 3, one_by_one["ops"])
            self.assertGreater(graphs["parts"], one_by_one["ops"] // 2)

    def test_the_parts_lie_inside_of_their_op(self):
        path = self.folder / "trace.json"
        ran = self.headway("run", "train", *SIZE, "--issue", "graph", "--trace", path)
        self.assertEqual(ran.status, 0, ran)
        events = json.loads(path.read_text())["traceEvents"]
        ops = {e["args"]["op"]: e for e in events if e.get("cat", "").startswith("execute")}
        parts = [e for e in events if e.get("cat") == "part"]
        self.assertGreater(len(parts), len(ops))
        for part in parts:
            op = ops[part["args"]["part_of"]]
            self.assertGreaterEqual(part["ts"], op["ts"] - 0.002)
            self.assertLessEqual(part["ts"] + part["dur"], op["ts"] + op["dur"] + 0.002)
            self.assertEqual(part["tid"], op["tid"])

    def test_memory_goes_back_to_nothing_with_graphs(self):
        path = self.folder / "trace.json"
        for policy in ("finish", "stream", "lazy"):
            ran = self.headway("run", "train", *SIZE, "--issue", "graph", "--free-policy", policy, "--trace", path)
            self.assertEqual(ran.status, 0, ran)
            events = json.loads(path.read_text())["traceEvents"]
            live = [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "live bytes"]
            self.assertGreater(max(live), 0)
            self.assertGreaterEqual(min(live), 0)
            self.assertLess(live[-1], max(live))

    def test_invalid_option_values_are_refused(self):
        self.assert_refused(self.headway("run", "train", "--issue", "all"), 2, "--issue must be op or graph")
        self.assert_refused(self.headway("run", "train", "--launch", "gpu"), 2, "--launch must be engine or frontend")
        self.assert_refused(self.headway("run", "train", "--copies", "x"), 2, "--copies must be pageable or pinned")
        self.assert_refused(self.headway("run", "train", "--products", "x"), 2, "--products must be float32 or tf32")


class NoGpu(Scenario):
    def test_a_missing_driver_is_one_sentence(self):
        without = {"HEADWAY_CUDA_DRIVER": "libheadway-no-driver.so.1"}
        ran = self.headway("run", "train", "--device", "cuda", environment=without)
        self.assert_refused(ran, 3, "the device cuda is not available", "driver is not installed",
                            "libheadway-no-driver.so.1")
        listed = json.loads(self.headway("devices", "--json", environment=without).out)
        cuda = next(device for device in listed if device["kind"] == "cuda")
        self.assertFalse(cuda["available"])
        self.assertIn("driver is not installed", cuda["reason"])

    def test_a_missing_library_is_named(self):
        without = {"HEADWAY_CUDA_DRIVER": "libc.so.6", "HEADWAY_CUDA_MODULE": "libheadway_not_here.so"}
        self.assert_refused(self.headway("run", "train", "--device", "cuda", environment=without), 3,
                            "libheadway_not_here.so")


@unittest.skipUnless(FAKE and os.path.exists(FAKE), "the CUDA made of threads was not built")
class FakeCuda(Scenario):
    def cuda(self, *options, status=0):
        path = self.folder / "report.json"
        ran = self.headway("run", *options, "--device", "cuda", "--report", path, environment=FAKE_CUDA)
        self.assertEqual(ran.status, status, ran)
        return json.loads(path.read_text())

    def test_it_is_listed(self):
        listed = json.loads(self.headway("devices", "--json", environment=FAKE_CUDA).out)
        cuda = next(device for device in listed if device["kind"] == "cuda")
        self.assertTrue(cuda["available"], cuda)
        self.assertEqual(cuda["name"], "Emulated GPU (CPU threads)")

    def test_training_agrees_with_the_cpu(self):
        losses = self.run_program("train", *SIZE)["result"]["losses"]
        for options in ((), ("--launch", "frontend"), ("--issue", "graph"), ("--copies", "pageable"),
                        ("--free-policy", "lazy"), ("--free-policy", "stream", "--streams", "1")):
            report = self.cuda("train", *SIZE, *options)
            self.assert_near(losses, report["result"]["losses"], 1e-3)
            self.assertEqual(report["device"]["timing"], "cupti")
            self.assertGreater(report["device"]["timing_uncertainty_ns"], 0)
            self.assertGreater(report["launch_ns"], 0)
            self.assertGreater(report["reserved_bytes_peak"], 0)
            self.assertIn("waits_between_streams", report["driver"])

    def test_the_launching_thread_is_in_the_settings_and_the_trace(self):
        path = self.folder / "trace.json"
        ran = self.headway("run", "train", *SIZE, "--device", "cuda", "--launch", "frontend", "--trace", path,
                           environment=FAKE_CUDA)
        self.assertEqual(ran.status, 0, ran)
        trace = json.loads(path.read_text())
        self.assertEqual(trace["otherData"]["launch"], "frontend")
        self.assertEqual(trace["otherData"]["timing"], "cupti")
        issues = {e["args"]["op"]: e for e in trace["traceEvents"] if e.get("cat") == "issue"}
        launches = [e for e in trace["traceEvents"] if e.get("cat") == "launch"]
        self.assertEqual(len(launches), len(issues))
        for launch in launches:  # launches are within the issue
            issue = issues[launch["args"]["op"]]
            self.assertGreaterEqual(launch["ts"], issue["ts"] - 0.002)
            self.assertLessEqual(launch["ts"] + launch["dur"], issue["ts"] + issue["dur"] + 0.002)

    def test_a_lost_gpu_ends_the_runner_and_names_the_op(self):
        path = self.folder / "report.json"
        for options in ((), ("--issue", "graph"), ("--launch", "frontend")):
            ran = self.headway("run", "train", *SIZE, "--device", "cuda", "--report", path, *options,
                               environment={**FAKE_CUDA, "HEADWAY_FAKE_CUDA_FAULT": "200"})
            self.assertEqual(ran.status, 1, ran)
            self.assertIn("the GPU is lost to this process", ran.err)
            error = json.loads(path.read_text())["error"]
            self.assertRegex(error["message"], r"caused by op \d+")
            self.assertGreater(error["op"], 0)

    def test_a_gpu_without_memory_refuses_the_op(self):
        path = self.folder / "report.json"
        for policy in ("finish", "stream"):
            ran = self.headway("run", "train", *SIZE, "--device", "cuda", "--free-policy", policy, "--report", path,
                               environment={**FAKE_CUDA, "HEADWAY_FAKE_CUDA_MEMORY": str((65 << 20) + (100 << 10))})
            self.assertEqual(ran.status, 1, ran)
            self.assertRegex(ran.err, r"out of memory at op \d+.*the device has no ")

    def test_lessons_run_on_it(self):
        for lesson in ("matmul", "increment", "three-stages", "limits"):
            ran = self.headway("run", lesson, "--device", "cuda", environment=FAKE_CUDA)
            self.assertEqual(ran.status, 0, (lesson, str(ran)))


if __name__ == "__main__":
    main()
