"""Several GPUs in every dialect, on the simulated machine: names, values, copies over links, messages."""

import json
import unittest

from running import main, run

FOUR = ("--device", "simulated", "--gpus", "4")


def good(case, text, *options):
    outcome = run(text, *options)
    case.assertEqual(outcome.status, 0, outcome.err)
    return outcome


class Dialects(unittest.TestCase):
    def test_headway(self):
        text = """
import headway as hw
x = hw.ones(2, 3, device="gpu:2")
y = x.to("gpu:3") + 1
z = hw.zeros(1, device="gpu")
print(hw.gpus(), x.device, y.device, z.device, y.to("cpu").device, y.sum().item())
hw.waitall("gpu:3")
"""
        outcome = good(self, text, *FOUR)
        self.assertEqual(outcome.out, "4 gpu:2 gpu:3 gpu:0 cpu 12.0\n")
        self.assertEqual([wait["device"] for wait in outcome.report["waits"]], ["simulated:3", "simulated:3"])

    def test_torch(self):
        text = """
import torch
from d2l import torch as d2l
print(torch.cuda.device_count(), d2l.num_gpus(), d2l.try_gpu(3), d2l.try_gpu(4), *d2l.try_all_gpus())
x = torch.ones(2, device="cuda:1")
y = x.to("cuda:3")
print(x.device, y.device, (y + 1).device, x.device == y.device, torch.device(2), x.cuda(2).device, x.cuda(0).device)
torch.cuda.set_device(2)
print(torch.cuda.current_device(), torch.ones(1, device="cuda").device, torch.ones(1).cuda().device)
with torch.cuda.device(1):
    print(torch.ones(1).cuda().device)
net = torch.nn.Linear(2, 1).to("cuda:3")
print(net.weight.device, net(y.reshape(1, 2)).device)
torch.cuda.synchronize(3)
try:
    x + y
except RuntimeError as error:
    print(str(error).partition(", at ")[0])
"""
        self.assertEqual(good(self, text, *FOUR).out, """\
4 4 cuda:3 cpu cuda:0 cuda:1 cuda:2 cuda:3
cuda:1 cuda:3 cuda:3 False cuda:2 cuda:2 cuda:0
2 cuda:2 cuda:2
cuda:1
cuda:3 cuda:3
add: expected all tensors to be on the same device, but found one of shape (2,) on GPU 1 (device simulated) and one of \
shape (2,) on GPU 3 (device simulated)
""")

    def test_mxnet(self):
        text = """
import mxnet as mx
from mxnet import np, npx
from d2l import mxnet as d2l
print(npx.num_gpus(), d2l.try_gpu(3), d2l.try_gpu(9), d2l.try_all_gpus())
x = np.ones((2,), ctx=mx.gpu(2))
y = x.copyto(mx.gpu(1))
print(x.ctx, y.ctx, x.as_in_ctx(mx.gpu(2)) is x, (y * 2).ctx)
print(x)
with mx.gpu(3):
    print(np.zeros((1,)).ctx)
"""
        self.assertEqual(good(self, text, *FOUR).out, """\
4 gpu(3) cpu(0) [gpu(0), gpu(1), gpu(2), gpu(3)]
gpu(2) gpu(1) True gpu(1)
[1. 1.] @gpu(2)
gpu(3)
""")

    def test_tensorflow(self):
        text = """
import tensorflow as tf
from d2l import tensorflow as d2l
print(tf.config.list_physical_devices("GPU"), d2l.try_gpu(2).name, len(d2l.try_all_gpus()))
with tf.device("/GPU:3"):
    a = tf.ones((2,))
with d2l.try_gpu(1):
    b = tf.identity(a)
print(a.device_number, b.device_number, (b + b).device_number, tf.reduce_sum(b).numpy())
"""
        self.assertEqual(good(self, text, *FOUR).out, "['/physical_device:GPU:0', '/physical_device:GPU:1', "
                         "'/physical_device:GPU:2', '/physical_device:GPU:3'] /GPU:2 4\n3 1 1 2.0\n")

    def test_values_survive_every_copy(self):
        text = """
import headway as hw
x = hw.tensor([[1.0, -2.5], [3.25, 4.0]], device="cpu")
for turn in range(2):
    for i in range(hw.gpus()):
        x = x.to("gpu:%d" % i) * 2
    x = x.to("cpu") * 0.5
print(x.tolist())
"""
        for links in ("pcie", "pairs", "ring"):
            out = good(self, text, *FOUR, "--links", links).out
            self.assertEqual(out, "[[64.0, -160.0], [208.0, 256.0]]\n")

    def test_a_gpu_that_the_run_does_not_have(self):
        for text, message in (
            ("import headway as hw\nhw.ones(2, device='gpu:4')", 'there is no device "gpu:4": this run has one CPU, and GPUs from 0 to 3'),
            ("import torch\ntorch.ones(2).to('cuda:7')", 'there is no device "cuda:7": this run has one CPU, and GPUs from 0 to 3'),
            ("import mxnet as mx\nmx.np.ones(2, ctx=mx.gpu(4))", "there is no gpu(4): the run has 4 GPUs, from 0 to 3"),
            ("import tensorflow as tf\ntf.device('/GPU:5')", 'there is no device "/GPU:5": this run has one CPU, and GPUs from 0 to 3'),
        ):
            outcome = run(text + "\n", *FOUR)
            self.assertEqual(outcome.status, 1)
            self.assertIn(message, outcome.report["error"]["message"])


class Options(unittest.TestCase):
    TEXT = "import headway as hw\nx = hw.ones(4)\nhw.waitall()\n"

    def refused(self, message, *options):
        outcome = run(self.TEXT, *options)
        self.assertEqual(outcome.status, 2, outcome.err)
        self.assertIn(message, outcome.err)

    def test_wrong_usage(self):
        self.refused("--gpus is for --device simulated or cuda: a run on cpu uses no GPU", "--device", "cpu", "--gpus", "2")
        self.refused("--links and --gpu-speeds are for --device simulated", "--device", "cpu", "--links", "ring")
        self.refused("--gpus", "--device", "simulated", "--gpus", "9")
        self.refused("--links must be pcie, pairs or ring", "--device", "simulated", "--gpus", "2", "--links", "mesh")
        self.refused("--links is for a machine with several GPUs", "--device", "simulated", "--links", "ring")
        self.refused("8 GPUs with 5 streams each need 40 lanes, and a run has 32: choose --streams 4 or fewer",
                     "--device", "simulated", "--gpus", "8", "--streams", "5")

    def test_one_gpu_is_as_before(self):
        self.assertEqual(good(self, self.TEXT, "--device", "simulated").report["settings"],
                         good(self, self.TEXT, "--device", "simulated", "--gpus", "1").report["settings"])

    def test_no_lane_is_left_for_the_cpu(self):
        text = "import headway as hw\nhw.ones(2, device='cpu')\n"
        outcome = run(text, "--device", "simulated", "--gpus", "8", "--streams", "4")
        self.assertIn("no lane is left for the CPU: a run has 32, and the GPUs take them all: choose fewer --streams",
                      outcome.report["error"]["message"])
        good(self, text, "--device", "simulated", "--gpus", "8", "--streams", "3")


class Speeds(unittest.TestCase):
    """GPUs of several speeds."""

    TEXT = """
import headway as hw
x = [hw.randn(500, 500, device="gpu:%d" % i) for i in range(hw.gpus())]
hw.waitall()
hw.measure()
for _ in range(4):
    x = [a @ a for a in x]
there = x[0].to("gpu:1")
hw.waitall()
"""
    TWO = ("--device", "simulated", "--gpus", "2")

    def test_each_gpu_takes_its_time_and_copies_do_not(self):
        alike = good(self, self.TEXT, *self.TWO).report
        report = good(self, self.TEXT, *self.TWO, "--gpu-speeds", "1,0.25").report
        (fast, slow), (same, other) = report["devices"], alike["devices"]
        copy = report["links"][0]["busy_ns"]
        self.assertEqual(alike["links"][0]["busy_ns"], copy)
        self.assertEqual(fast["busy_ns"], same["busy_ns"])
        self.assertAlmostEqual((slow["busy_ns"] - copy) / (other["busy_ns"] - copy), 4, places=3)
        self.assertEqual([device["speed"] for device in report["devices"]], [1, 0.25])
        self.assertEqual(report["settings"]["gpu_speeds"], [1, 0.25])
        self.assertNotIn("gpu_speeds", alike["settings"])
        self.assertNotIn("speed", same)

    def test_the_prediction_knows_the_speeds(self):
        report = good(self, self.TEXT, *self.TWO, "--gpu-speeds", "0.5,3").report
        self.assertEqual(report["predicted_ns"], report["total_ns"])

    def test_wrong_usage(self):
        for message, *options in (
            ("--gpu-speeds is for a machine with several GPUs: choose --gpus 2 or more", "--gpu-speeds", "1"),
            ("--gpu-speeds has 1 speed for 2 GPUs: write one for each, such as 1,0.5", "--gpus", "2", "--gpu-speeds", "1"),
            ("--gpu-speeds", "--gpus", "2", "--gpu-speeds", "1,0"),
            ("--gpu-speeds", "--gpus", "2", "--gpu-speeds", "1,x"),
        ):
            outcome = run(Options.TEXT, "--device", "simulated", *options)
            self.assertEqual(outcome.status, 2, outcome.err)
            self.assertIn(message, outcome.err)


COPIES = """
import headway as hw
size = 1_000_000
x = [hw.ones(size, device="gpu:%d" % i) for i in range(4)]
hw.waitall()
hw.measure()
x[0].to("gpu:1"), x[2].to("gpu:3"), x[1].to("gpu:2")
x[0].to("cpu"), x[3].to("cpu")
same = x[0].to("gpu:0")
assert same is x[0]
hw.waitall()
"""


class Links(unittest.TestCase):
    def links(self, *options):
        return {link["name"]: link for link in good(self, COPIES, *FOUR, *options).report["links"]}

    def test_a_bus_is_shared(self):
        report = good(self, COPIES, *FOUR).report
        self.assertEqual([(link["name"], link["copies"], link["bytes"]) for link in report["links"]],
                         [("PCIe to the GPUs", 3, 12_000_000), ("PCIe to the host", 5, 20_000_000)])
        self.assertEqual(report["links"][1]["busy_ns"], 5 * (10_000 + 320_000))
        self.assertGreater(report["total_ns"], 5 * 330_000)  # all take turns
        self.assertGreater(report["idle"]["link_ns"], 0)
        self.assertEqual((report["settings"]["gpus"], report["settings"]["links"]), (4, "pcie"))

    def test_pairs_have_their_own_links(self):
        links = self.links("--links", "pairs")
        self.assertEqual(len(links), 6)
        self.assertEqual([links[name]["copies"] for name in ("NVLink 0 → 1", "NVLink 2 → 3", "PCIe to the host")],
                         [1, 1, 3])
        self.assertEqual(links["NVLink 0 → 1"]["busy_ns"], 5_000 + 40_000)

    def test_a_ring_joins_neighbours(self):
        links = self.links("--links", "ring")
        self.assertEqual(len(links), 10)
        self.assertEqual([links[name]["copies"] for name in ("NVLink 0 → 1", "NVLink 1 → 2", "NVLink 2 → 3",
                                                             "NVLink 3 → 0", "PCIe to the host")], [1, 1, 1, 0, 2])

    def test_each_gpu_has_its_memory_and_its_budget(self):
        text = """
import headway as hw
x = [hw.ones(1000, device="gpu:%d" % i) for i in range(4)]
y = hw.ones(3000, device="gpu:2")
"""
        report = good(self, text, *FOUR, "--budget", "20000").report
        self.assertEqual([(device["id"], device["live_bytes_peak"]) for device in report["devices"]],
                         [("simulated:0", 4000), ("simulated:1", 4000), ("simulated:2", 16000), ("simulated:3", 4000)])
        outcome = run(text + "z = hw.ones(3000, device='gpu:2')\n", *FOUR, "--budget", "20000")
        self.assertIn("out of memory on GPU 2", outcome.report["error"]["message"])

    def test_a_wait_for_one_gpu_may_last_until_another_has_read_its_memory(self):
        text = """
import headway as hw
a = hw.ones(256, 256, device="gpu:0")
b = hw.ones(1024, 1024, device="gpu:1")
b = b @ b
c = a.to("gpu:1")
del a
hw.waitall("gpu:0")
hw.waitall()
"""
        report = good(self, text, *FOUR, "--streams", "1", "--free-policy", "lazy").report
        self.assertGreater(report["waits"][0]["ns"], 100_000)
        self.assertEqual(report["predicted_ns"], report["total_ns"])

    def test_work_on_different_gpus_overlaps(self):
        text = """
import headway as hw
x = [hw.randn(500, 500, device="gpu:%d" % i) for i in range(hw.gpus())]
hw.waitall()
hw.measure()
for _ in range(6):
    x = [a @ a for a in x]
hw.waitall()
"""
        one = good(self, text, "--device", "simulated", "--costs", "t1=1us").report["total_ns"]
        eight = good(self, text, "--device", "simulated", "--costs", "t1=1us", "--gpus", "8").report
        self.assertLess(eight["total_ns"], 1.5 * one)
        self.assertEqual([device["ops"] for device in eight["devices"]], [6] * 8)


if __name__ == "__main__":
    main()
