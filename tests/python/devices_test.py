"""CPU and GPU in one run, in every dialect: on the simulated GPU and CPU, exactly; and on the CUDA
device, if the fake one made of threads was built, with the real CPU."""

import json
import os
import subprocess
import tempfile
import unittest

from running import RUNNER, main, run

FAKE = os.environ.get("HEADWAY_TEST_FAKE_CUDA")

HEADWAY = """
import headway as hw
a = hw.ones(40, 30, device="cpu")
b = (a + 1).to("gpu")
c = b @ hw.ones(30, 20)
d = c.to("cpu")
e = hw.tensor([[1.0, 2.0]], device="cpu").gpu()
print(a.device, b.device, c.device, d.device, e.device, d.sum().item(), e.tolist())
"""
TORCH = """
import torch
x = torch.ones(4, 4)
gpu = torch.device("cuda")
y = x.pin_memory().to(gpu, non_blocking=True)
z = (y @ y).cpu()
net = torch.nn.Linear(4, 2).to(gpu)
loss = (net(y) ** 2).sum()
loss.backward()
torch.cuda.synchronize()
w = torch.ones(4, 4, device="cpu") + z
print(x.device, y.device, z.device, net.weight.device, net.weight.grad.device, w[0].tolist(), loss.item() > 0)
"""
MXNET = """
import mxnet as mx
from mxnet import autograd, gluon, np, npx
x = np.ones((3, 2), ctx=mx.cpu())
y = x.as_in_ctx(mx.gpu()) * 2
z = y.copyto(mx.cpu())
y.copyto(x)
with mx.cpu():
    u = np.zeros((3, 2))
net = gluon.nn.Dense(2)
net.initialize(ctx=mx.cpu())
w = net(u + x)
w.attach_grad()
npx.waitall()
print(x.ctx, y.ctx, z.ctx, u.ctx, w.ctx, (x + z).tolist())
"""
TENSORFLOW = """
import tensorflow as tf
with tf.device("/CPU:0"):
    a = tf.ones((2, 2))
    b = a + a
with tf.device("/GPU:0"):
    c = tf.identity(b)
print(tf.reduce_sum(c))
"""
MIXED = {
    "headway": 'import headway as hw\na = hw.ones(2, 3, device="cpu")\nb = hw.ones(2, 3)\nc = a + b\n',
    "torch": 'import torch\na = torch.ones(2, 3)\nb = torch.ones(2, 3, device="cuda")\nc = a + b\n',
    "mxnet": "import mxnet as mx\nfrom mxnet import np\nb = np.ones((2, 3))\nc = np.ones((2, 3), ctx=mx.cpu()) + b\n",
}


class Dialects:
    """Tests for every pair of devices; subclasses choose the pair."""

    device = ""

    def good(self, text, *options):
        outcome = run(text, "--device", self.device, *options)
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def test_headway(self):
        outcome = self.good(HEADWAY)
        self.assertEqual(outcome.out, "cpu gpu gpu cpu gpu 48000.0 [[1.0, 2.0]]\n")
        gpu, cpu = outcome.report["devices"]
        self.assertEqual([gpu["kind"], cpu["kind"]], [self.device, "cpu"])
        self.assertGreater(cpu["ops"], 2)
        self.assertGreater(gpu["live_bytes_peak"], 4 * 40 * 30)
        self.assertGreater(cpu["live_bytes_peak"], 4 * 40 * 30)

    def test_pytorch(self):
        outcome = self.good(TORCH)
        self.assertEqual(outcome.out, "cpu cuda:0 cpu cuda:0 cuda:0 [5.0, 5.0, 5.0, 5.0] True\n")
        (sync,) = outcome.waits("synchronize")
        self.assertEqual((sync["name"], sync["device"]), ("torch.cuda.synchronize", self.device))
        copies = [w["name"] for w in outcome.waits("copy")]
        self.assertEqual(copies, ["cpu", "to()", "to()"])  # non_blocking from pinned memory is not waited for

    def test_mxnet(self):
        outcome = self.good(MXNET)
        self.assertEqual(outcome.out, "cpu(0) gpu(0) cpu(0) cpu(0) cpu(0) [[4.0, 4.0], [4.0, 4.0], [4.0, 4.0]]\n")
        (all_of_it,) = outcome.waits("waitall")
        self.assertIsNone(all_of_it["device"])

    def test_tensorflow(self):
        self.assertIn("8.", self.good(TENSORFLOW).out)

    def test_operands_on_different_devices_are_a_clear_error(self):
        for name, text in MIXED.items():
            with self.subTest(dialect=name):
                outcome = run(text, "--device", self.device)
                self.assertEqual(outcome.status, 1)
                message = outcome.report["error"]["message"]
                self.assertRegex(message, r"add: expected all tensors to be on the same device, but found one of shape "
                                          r"\(2, 3\) on the [CG]PU \(device \w+\) and one of shape \(2, 3\) on the [CG]PU")
                self.assertIn("CPU", message)
                self.assertIn("GPU", message)
                self.assertEqual(outcome.report["error"]["line"], text.count("\n"))

    def test_errors_on_rows_from_another_device_name_the_written_operation(self):
        head = {"headway": 'import headway as hw\na = hw.ones(2, 4)\nb = hw.ones(2, 4, device="cpu")\n',
                "torch": 'import torch\na = torch.ones(2, 4, device="cuda")\nb = torch.ones(2, 4)\n',
                "mxnet": "import mxnet as mx\nfrom mxnet import np\na = np.ones((2, 4))\nb = np.ones((2, 4), ctx=mx.cpu())\n"}
        for dialect, line, what, shapes in (
            ("headway", "a[0] = b[1]", "item assignment", ("(2, 4)", "(4,)")),
            ("torch", "a[0] = b[1]", "item assignment", ("(2, 4)", "(4,)")),
            ("mxnet", "a[0] = b[1]", "item assignment", ("(2, 4)", "(4,)")),
            ("torch", "torch.stack([a, b])", "stack", ("(2, 4)", "(2, 4)")),
            ("mxnet", "np.stack([a, b])", "stack", ("(2, 4)", "(2, 4)")),
        ):
            with self.subTest(dialect=dialect, line=line):
                outcome = run(head[dialect] + line + "\n", "--device", self.device)
                self.assertEqual(outcome.status, 1)
                self.assertIn("%s: expected all tensors to be on the same device, but found one of shape %s on the GPU "
                              "(device %s) and one of shape %s on the CPU (device " % (what, shapes[0], self.device, shapes[1]),
                              outcome.report["error"]["message"])

    def test_each_device_has_the_budget(self):
        text = ('import headway as hw\na = hw.ones(1000)\nb = hw.ones(1000, device="cpu")\nhw.waitall()\n'
                'c = hw.ones(1000, device="cpu")\n')
        self.good(text, "--budget", "9000")
        outcome = run(text, "--device", self.device, "--budget", "6000")
        self.assertEqual(outcome.status, 1)
        self.assertIn("out of memory on the CPU at op 3", outcome.report["error"]["message"])

    def test_a_program_without_device_names_runs_on_one_device(self):
        outcome = self.good("import torch\nx = torch.ones(3)\ny = x + 1\nprint(y)\n")
        self.assertEqual(outcome.out, "tensor([2., 2., 2.])\n")
        self.assertEqual([d["kind"] for d in outcome.report["devices"]], [self.device])
        self.assertNotIn("device", outcome.report["waits"][0])

    def test_gradients_come_back_to_where_the_leaf_is(self):
        text = ("import headway as hw\nw = hw.ones(3, device='cpu').require_gradient()\n"
                "with hw.record():\n    y = ((w * 2).to('gpu') * 3).sum()\ny.backward()\n"
                "print(w.gradient.device, w.gradient.tolist())\n")
        self.assertEqual(self.good(text).out, "cpu [6.0, 6.0, 6.0]\n")

    def test_a_trace_preserves_both_devices(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "t.json")
            recorded = self.good(TORCH, "--trace", trace).report
            # Drawing the figure of a trace reads it; compare prints its numbers again.
            report = os.path.join(folder, "r.json")
            done = subprocess.run([RUNNER, "compare", "--a", trace, "--b", trace, "--report", report],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(report, encoding="utf-8") as file:
                again = json.load(file)
            with open(trace, encoding="utf-8") as file:
                written = json.load(file)
        for field in ("devices", "waits", "ops", "total_ns", "live_bytes_peak", "pending_bytes_peak"):
            self.assertEqual(again["a"][field], recorded[field], field)
        self.assertEqual([d["kind"] for d in again["a"]["devices"]], [self.device, "cpu"])
        self.assertEqual([d["kind"] for d in written["otherData"]["more_devices"]], ["cpu"])
        names = {e["args"]["name"] for e in written["traceEvents"] if e.get("name") == "thread_name"}
        self.assertIn("Stream 0", names)
        self.assertIn("Worker 0", names)


class Simulated(Dialects, unittest.TestCase):
    device = "simulated"

    def test_the_lesson_overlaps(self):
        ahead = self.good("cpu-and-gpu").report
        turn = self.good("cpu-and-gpu", "--set", "prepare=in turn").report
        again = self.good("cpu-and-gpu").report
        for report in (ahead, again):
            del report["machine"], report["headway"]
        self.assertEqual(ahead, again)  # to the nanosecond
        self.assertTrue(all(d["simulated"] for d in ahead["devices"]))
        gpu, cpu = ahead["devices"]
        self.assertEqual([d["busy_ns"] for d in ahead["devices"]], [d["busy_ns"] for d in turn["devices"]])
        # As computed from the cost models: nearly the time of the slower device, and nearly the sum.
        self.assertEqual((ahead["total_ns"], turn["total_ns"]), (7_211_911, 10_701_652))
        self.assertEqual((cpu["busy_ns"], gpu["busy_ns"]), (6_734_880, 3_964_160))
        self.assertEqual((cpu["live_bytes_peak"], gpu["live_bytes_peak"]), (18_874_368, 203_548_300))
        self.assertEqual((cpu["pending_bytes_peak"], gpu["pending_bytes_peak"]), (18_874_368, 185_713_800))
        self.assertEqual(ahead["live_bytes_peak"], 221_374_092)  # the peak of the sum, at most the sum of both peaks
        self.assertEqual([w["device"] for w in turn["waits"]][:2], [None, "simulated"])
        self.assertIn("round numbers, not measured", cpu["name"])

    def test_an_unused_second_device_costs_nothing(self):
        text = "import headway as hw\nx = hw.ones(4)\nprint(x.to('gpu').tolist())\n"
        self.assertEqual(len(self.good(text).report["devices"]), 1)


class Names(unittest.TestCase):
    """Any device that the run does not have is one clear error."""

    def refused(self, text, message, device="simulated"):
        with self.subTest(text=text, device=device):
            outcome = run(text + "\n", "--device", device)
            self.assertEqual(outcome.status, 1, outcome.err)
            self.assertIn(message + ", at program.py:%d" % (text.count("\n") + 1), outcome.report["error"]["message"])

    def test_missing_devices_are_errors(self):
        one_each = 'there is no device "%s": a run has one GPU and one CPU, each with the index 0'
        no_gpu = 'there is no device "%s": this run has one CPU, with the index 0, and no GPU'
        for device, said in (("cpu", no_gpu), ("simulated", one_each)):
            for name in ("gpu:1", "cuda:99", "simulated:3", "cpu:9", "gpu:", "gpu:x", "cpu:-1"):
                self.refused('import headway as hw\nhw.ones(2, device="%s")' % name, said % name, device)
            for name in ("cuda:-1", "cuda:x", "cuda:1", "cpu:9", "cuda:"):
                self.refused('import torch\ntorch.ones(2, device="%s")' % name, said % name, device)
                self.refused('import torch\ntorch.device("%s")' % name, said % name, device)
            for name in ("/GPU:1", "/CPU:9", "/device:GPU:x"):
                self.refused('import tensorflow as tf\ntf.device("%s")' % name, said % name, device)
            for name in ("nonsense", "/TPU:0", "", "/GPUS"):
                self.refused('import tensorflow as tf\ntf.device("%s")' % name,
                             'the devices are CPU and GPU, as in "/GPU:0", not "%s"' % name, device)
        self.refused("import torch\ntorch.device('cuda', 2)", said % "cuda:2")
        self.refused("import torch\ntorch.ones(2).cuda(1)", said % "cuda:1")
        self.refused("import torch\ntorch.cuda.synchronize(1)", said % "cuda:1")
        # d2l's try_gpu() is the CPU where there is no GPU, and the chapter synchronises it.
        self.assertEqual(run("import torch\ntorch.cuda.synchronize(torch.device('cpu'))\n", "--device", "cpu").status, 0)
        self.refused("import torch\ntorch.cuda.synchronize('cpu')", "Expected a cuda device, but got: cpu")
        self.refused("import torch\ntorch.device('tpu')", "knows the devices cpu and cuda, not tpu")
        self.refused("import headway as hw\nhw.ones(2).to('tpu')", "the devices are cpu and gpu, not tpu")
        for index in (1, -1):
            self.refused("import mxnet as mx\nmx.np.ones(2, ctx=mx.gpu(%d))" % index,
                         "there is no gpu(%d): the run has one GPU" % index)

    def test_mxnet_functions_require_a_context(self):
        for call in ("x.as_in_ctx(%s)", "x.copyto(%s)"):
            for value in ("None", "'gpu'"):
                self.refused("from mxnet import np\nx = np.ones(2)\n" + call % value,
                             "a context is wanted, mx.cpu() or mx.gpu(), not " + value)
        self.refused("from mxnet import np\nx = np.ones(2, ctx='gpu')",
                     "a context is wanted, mx.cpu() or mx.gpu(), not 'gpu'")

    def test_index_0_is_fine(self):
        text = ("import headway as hw\nprint(hw.ones(2, device='gpu:0').device, hw.ones(2, device='cpu:0').device)\n")
        self.assertEqual(run(text, "--device", "simulated").out, "gpu cpu\n")
        text = ("import tensorflow as tf\nfor name in ('/GPU:0', 'gpu:0', '/device:GPU:0', 'GPU',\n"
                "             '/job:localhost/replica:0/task:0/device:GPU:0', '/cpu:0', 'CPU:0'):\n"
                "    with tf.device(name):\n        print(tf.ones((1,)).device_number, end=' ')\n")
        self.assertEqual(run(text, "--device", "simulated").out, "0 0 0 0 0 1 1 ")
        for framework in ("tensorflow", "torch"):  # one GPU is available; otherwise the program uses the CPU
            text = "from d2l import %s as d2l\nprint(d2l.try_gpu(1).__dict__)\n" % framework
            self.assertIn("cpu", run(text, "--device", "simulated").out.lower())


class PyTorchPlaces(unittest.TestCase):
    """The arguments of x.to(), and which programs name devices."""

    def printed(self, text):
        outcome = run("import torch\n" + text + "\n", "--device", "simulated")
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome.out

    def test_to(self):
        for arguments, where in (
            ("device='cuda'", "cuda:0 True"),
            ("'cuda', dtype=torch.float32", "cuda:0 True"),
            ("'cuda', torch.float32, True", "cuda:0 True"),
            ("torch.ones(1, device='cuda')", "cuda:0 True"),
            ("0", "cuda:0 True"),
            ("torch.device('cuda'), non_blocking=True", "cuda:0 True"),
            ("device='cpu:0'", "cpu False"),
            ("dtype=torch.float32", "cpu False"),
            ("torch.float32", "cpu False"),
            ("torch.ones(1)", "cpu False"),
        ):
            for made in ("torch.ones(2, device='cpu')", "torch.nn.Linear(2, 1, device='cpu')"):
                with self.subTest(arguments=arguments, made=made):
                    text = "x = %s.to(%s)\nx = getattr(x, 'weight', x)\nprint(x.device, x.is_cuda)" % (made, arguments)
                    self.assertEqual(self.printed(text), where + "\n")

    def test_to_refuses_what_it_does_not_know(self):
        for arguments, message in (("'cuda', dtype='torch.float64'", "of the dtype torch.float32, not torch.float64"),
                                   ("'cuda', device='cpu'", "to(): the device is given twice"),
                                   ("torch.float32, dtype=torch.float32", "to(): the dtype is given twice"),
                                   ("'cuda', torch.float32, True, True, 1", "to() was given 1 arguments too many")):
            outcome = run("import torch\ntorch.ones(2).to(%s)\n" % arguments, "--device", "simulated")
            self.assertIn(message, outcome.report["error"]["message"])

    def test_a_copy_is_one(self):
        self.assertEqual(self.printed("x = torch.ones(2, device='cpu')\ny = x.to('cpu', copy=True)\ny += 1\nprint(x, y)"),
                         "tensor([1., 1.]) tensor([2., 2.])\n")

    def test_devices_are_equal_with_their_index_and_without(self):
        self.assertEqual(self.printed("d = torch.device\nprint(d('cpu:0') == d('cpu'), d('cuda') == d('cuda', 0), "
                                      "d('cuda') == d('cpu'), len({d('cpu'), d('cpu:0')}), d('cuda') == None)"),
                         "True True False 1 False\n")

    def test_only_placements_say_where_tensors_are(self):
        for line in ("name = {'cpu': 1}", "print('cpu')", "print('cuda', 'cuda:0')", "x = 'cpu' in 'cuda:0'",
                     "torch.cuda.is_available()", "torch.cuda.synchronize()", "torch.ones(1).to(torch.float32)",
                     "torch.ones(1).to(dtype=torch.float32)", "x = torch.ones(1); x.to(x.dtype)",
                     "from torch import float32; torch.ones(1).to(float32)", "torch.ones(1, device=None)", "device = 3",
                     "def f(device='cpu'): pass"):
            with self.subTest(line=line):
                out = self.printed("_headway = __import__('_headway')\n%s\nprint(torch.ones(1).device_number)" % line)
                self.assertEqual(out.split()[-1], "0")
        for line in ("torch.ones(1, device='cpu')", "torch.device('cpu')", "from torch import device as d, device\ndevice('cpu')",
                     "torch.ones(1).cpu()", "torch.ones(1).cuda()", "torch.ones(1).to('cuda')", "torch.ones(1).to(device='cuda')",
                     "torch.set_default_device('cpu')", "device = 'cpu'", "device = 'cuda' if 1 else 'cpu'",
                     "device: str = 'cuda:0'", "w = 'cuda'; torch.ones(1, device=w)"):
            with self.subTest(line=line):
                self.assertEqual(self.printed(line + "\nprint(torch.ones(1).device_number)").split()[-1], "1")


class OnTheCpu(unittest.TestCase):
    def test_a_gpu_is_one_clear_error(self):
        for text in ("import headway as hw\nx = hw.ones(2, device='gpu')\n",
                     "import mxnet as mx\nx = mx.np.ones((2,), ctx=mx.gpu())\n",
                     "import headway as hw\nx = hw.ones(2, device='cpu').cpu()\nx.to('cuda')\n",
                     "import torch\nx = torch.ones(2).cuda()\n",
                     "import torch\nx = torch.ones(2, device='cuda')\n",
                     "import torch\nx = torch.ones(2).to(torch.device('cuda', 0))\n",
                     "import tensorflow as tf\nwith tf.device('/GPU:0'):\n    tf.ones((2,))\n"):
            with self.subTest(text=text):
                outcome = run(text, "--device", "cpu")
                self.assertEqual(outcome.status, 3)  # the requested device is not available
                self.assertIn("this run is on the device cpu and has no GPU: choose the device cuda or simulated, at ",
                              outcome.report["error"]["message"])

    def test_the_lesson_says_what_it_needs(self):
        outcome = run("cpu-and-gpu", "--device", "cpu")
        self.assertEqual(outcome.status, 3)
        self.assertIn("has no GPU", outcome.report["error"]["message"])

    def test_naming_the_cpu_changes_nothing(self):
        outcome = run("import torch\nx = torch.ones(2, device='cpu').cpu().to('cpu')\nprint(x)\n", "--device", "cpu")
        self.assertEqual(outcome.out, "tensor([1., 1.])\n", outcome.err)
        self.assertEqual(outcome.report["ops"], 1)


@unittest.skipUnless(FAKE and os.path.exists(FAKE), "the CUDA made of threads was not built")
class OnTheCudaDevice(Dialects, unittest.TestCase):
    device = "cuda"

    @classmethod
    def setUpClass(cls):
        os.environ.update(HEADWAY_CUDA_DRIVER="libc.so.6", HEADWAY_CUDA_MODULE=FAKE)

    @classmethod
    def tearDownClass(cls):
        for name in ("HEADWAY_CUDA_DRIVER", "HEADWAY_CUDA_MODULE"):
            os.environ.pop(name, None)

    def test_the_lesson_runs_however_ops_are_launched(self):
        small = ("--set", "features=64", "--set", "hidden=32", "--set", "batch_size=16")
        same = self.good("cpu-and-gpu", *small).out
        for options in (("--launch", "frontend"), ("--copies", "pageable"), ("--free-policy", "lazy"),
                        ("--free-policy", "stream"), ("--issue", "graph"), ("--barrier", "minibatch")):
            with self.subTest(options=options):
                self.assertEqual(self.good("cpu-and-gpu", *small, *options).out, same)


if __name__ == "__main__":
    main()
