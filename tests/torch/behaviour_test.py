"""What is asynchronous, what waits, and how errors, threads, forks and memory behave with the real PyTorch."""

import os
import subprocess
import tempfile
import unittest

import module
from module import run

HERE = os.path.dirname(os.path.abspath(__file__))


class Behaviour(unittest.TestCase):
    def waits(self, text, *options):
        outcome = run(text, "--device", "simulated", *options)
        self.assertEqual(outcome.status, 0, outcome.err)
        return [(w["name"], w["line"]) for w in outcome.report["waits"] if w["name"] != "end of the program"]

    def test_ops_return_at_once_and_blockers_wait_under_their_names(self):
        waits = self.waits("""import torch
x = torch.randn(8, 8, device="cuda")
for _ in range(5):
    x = x @ x + 1
x[0, 0].item()
float(x.sum())
if x.sum() > 0:
    pass
x.tolist()
x.cpu()
torch.cuda.synchronize()
x.nonzero()
f"{x[0, 0]:.2f}"
x.equal(x)
torch.equal(x, x)
""")
        self.assertEqual(waits, [("item", 5), ("float", 6), ("bool", 7), ("tolist", 9), ("cpu", 10),
                                 ("torch.cuda.synchronize", 11), ("aten::nonzero", 12), ("format", 13), ("equal", 14),
                                 ("equal", 15)])

    def test_ops_carry_their_name_shapes_and_line(self):
        outcome = run("import torch\na = torch.ones(3, 4, device='cuda')\nb = a @ a.t()\ntorch.cuda.synchronize()\n",
                      "--device", "simulated")
        self.assertEqual(outcome.status, 0, outcome.err)
        lines = {l["line"]: l["ops"] for l in outcome.report["lines"]}
        self.assertEqual(lines.get(3), 1)

    def test_two_runs_on_the_simulated_gpu_take_the_same_time(self):
        text = """import torch
net = torch.nn.Linear(8, 4).to("cuda")
for _ in range(3):
    net(torch.randn(16, 8, device="cuda")).sum().backward()
torch.cuda.synchronize()
"""
        first, second = (run(text, "--device", "simulated") for _ in range(2))
        self.assertEqual(first.status, 0, first.err)
        self.assertGreater(first.report["ops"], 20)
        self.assertEqual(first.report["total_ns"], second.report["total_ns"])

    def test_a_loss_that_is_read_each_batch_waits_each_batch(self):
        text = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
EVERY = %d
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()
opt = torch.optim.SGD(net.parameters(), 0.1)
data = DataLoader(TensorDataset(torch.ones(240, 16), torch.ones(240, 1)), 8, num_workers=%d)
held = []
for i, (X, y) in enumerate(data):
    X, y = X.pin_memory().to("cuda", non_blocking=True), y.pin_memory().to("cuda", non_blocking=True)
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(X), y)
    loss.backward()
    opt.step()
    if i %% EVERY == 0:
        loss.item()
    held.append(torch.cuda.memory_allocated())
print(i + 1, held[-1] == held[3])
"""
        for every, workers in ((1, 0), (10, 0), (10, 2)):
            outcome = run(text % (every, workers), "--device", "simulated")
            self.assertEqual(outcome.status, 0, outcome.err)
            self.assertEqual(outcome.out.split(), ["30", "True"])  # memory does not grow
            waits = [w["name"] for w in outcome.report["waits"] if w["name"] not in ("end of the program", "fork")]
            self.assertEqual(waits, ["cuda"] * 4 + ["item"] * (30 // every))  # four parameters

    def test_an_optimizers_step_ends_a_minibatch(self):
        text = """import torch
from torch import nn
class Own(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)
net = nn.Linear(8, 4).cuda()
opt = %s(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    net(torch.ones(2, 8, device="cuda")).sum().backward()
    opt.step()
"""
        for optimizer in ("torch.optim.SGD", "torch.optim.Adam", "Own"):
            with self.subTest(optimizer):
                outcome = run(text % optimizer, "--device", "simulated", "--barrier", "minibatch")
                self.assertEqual(outcome.status, 0, outcome.err)
                self.assertGreaterEqual(len(outcome.report["minibatches"]), 4)  # one more may have begun
                self.assertEqual(len([w for w in outcome.report["waits"] if w["kind"] == "minibatch_barrier"]), 4)
        free = run(text % "torch.optim.SGD", "--device", "simulated", "--barrier", "none")
        self.assertEqual([w["kind"] for w in free.report["waits"] if w["kind"] == "minibatch_barrier"], [])

    def test_synchronize_takes_the_cpu_where_its_lanes_stand_in_for_a_gpu(self):
        text = "import torch\ntorch.ones(2, device='cuda')\ntorch.cuda.synchronize(torch.device('cpu'))\n"
        outcome = run(text, "--device", "cpu")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertIn(("torch.cuda.synchronize", 3), [(w["name"], w["line"]) for w in outcome.report["waits"]])
        outcome = run(text, "--device", "simulated")
        self.assertEqual(outcome.status, 1)
        self.assertIn("ValueError: Expected a cuda device, but got: cpu", outcome.err)
        outcome = run("import torch\ntorch.cuda.get_device_name('cpu')\n", "--device", "cpu")
        self.assertIn("ValueError: Expected a cuda device, but got: cpu", outcome.err)

    def test_a_backward_op_has_the_line_of_its_forward_op(self):
        text = """import torch
from torch import nn
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 2
    @staticmethod
    def backward(context, gradient):
        return gradient * 2
w = torch.ones(8, 8, device="cuda", requires_grad=True)
h = w @ w
with torch.no_grad():
    unused = h + 1
h = h.t()
h = Twice.apply(h)
loss = h.sigmoid().sum()
loss.backward()
with torch.enable_grad():
    other = (w * 3).exp()
other.sum().backward()
torch.cuda.synchronize()
"""
        for options in (["--device", "simulated"], ["--device", "cpu", "--workers", "2"]):
            outcome = run(text, *options)
            self.assertEqual(outcome.status, 0, outcome.err)
            backward = {l["line"]: l["backward_ops"] for l in outcome.report["lines"] if l["backward_ops"]}
            # 11: two products; 6: in the call of line 15; 16: sigmoid; 19: exp and mul
            self.assertEqual((backward.get(11), backward.get(16), backward.get(19)), (2, 1, 2), backward)
            self.assertEqual(sum(backward.get(line, 0) for line in (6, 15)), 1, backward)
            self.assertEqual(set(backward) - {6, 15}, {11, 16, 19})
            self.assertTrue(all(l["backward_ns"] > 0 for l in outcome.report["lines"] if l["backward_ops"]))
            issued = {l["line"]: l["ops"] for l in outcome.report["lines"]}
            self.assertGreaterEqual(issued[17], 3)

    def test_the_report_says_which_torch_ran_and_counts_ops_on_cpu_tensors(self):
        text = "import torch\nx = torch.ones(300, 300)\nfor _ in range(20):\n    y = x @ x\n%s\n"
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:  # with a report there is no summary
            file.write(text % "y.sum().item()")
            file.flush()
            summary = subprocess.run([os.environ["HEADWAY_RUNNER"], "run", file.name, "--device", "cpu"],
                                     capture_output=True, text=True).stderr
        self.assertIn("PyTorch computed 23 ops on CPU tensors, ", summary)
        on_cpu = run(text % "y.sum().item()", "--device", "cpu").report["torch"]
        self.assertRegex(on_cpu["name"], r"^PyTorch \d+\.\d+")
        self.assertEqual(on_cpu["cpu_ops"], 23)
        self.assertGreater(on_cpu["cpu_ops_ns"], 20 * 100_000)
        virtual = run(text % "y.sum().item()", "--device", "simulated").report["torch"]
        self.assertEqual((virtual["cpu_ops"], virtual["cpu_ops_ns"]), (23, 0))
        mixed = run(text % "y.cuda()", "--device", "simulated").report["torch"]
        self.assertEqual((mixed["cpu_ops"], mixed["cpu_ops_ns"]), (None, None))
        dialect = run("import torch\nx = torch.ones(3) + 1\n", HEADWAY_TORCH="dialect")
        self.assertEqual(dialect.report["torch"], {"name": "Headway's dialect", "cpu_ops": None, "cpu_ops_ns": None})
        self.assertIsNone(run("import headway\nx = headway.ones(3)\n").report["torch"])

    def test_an_event_stands_for_what_was_issued_before_it(self):
        outcome = run("""import torch
x = torch.ones(900, 900, device="cuda")
done = torch.cuda.Event()
torch.cuda.synchronize()
y = x @ x
done.record()
for _ in range(8):
    z = x @ x
print(done.query())
done.synchronize()
print(done.query(), torch.cuda.current_stream().query())
""", "--device", "simulated")
        self.assertEqual(outcome.out.split(), ["False", "True", "False"], outcome.err)
        (wait,) = [w for w in outcome.report["waits"] if w["name"] == "Event.synchronize"]
        self.assertEqual(wait["caused_by_count"], 1)  # the first product
        self.assertEqual(outcome.report["ops"], 10)  # an event without a time is no op

    def test_lessons_get_the_real_pytorch_if_they_are_told_to(self):
        lesson = os.path.join(os.path.dirname(os.path.dirname(HERE)), "assets", "lessons", "02-not-waiting")
        for environment, real in (({}, False), ({"HEADWAY_TORCH": "real"}, True)):
            with tempfile.NamedTemporaryFile(suffix=".json") as trace:
                done = subprocess.run([module.RUNNER, "run", lesson, "--tab", "pytorch", "--device", "simulated",
                                       "--trace", trace.name], capture_output=True, text=True, timeout=200,
                                      env={**os.environ, **environment})
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(trace.name, encoding="utf-8") as written:
                    self.assertEqual("aten::mm" in written.read(), real)

    def test_losses_do_not_warn_of_outputs(self):
        outcome = run("""import torch
from torch.nn import functional as F
x = torch.randn(6, 1, device="cuda", requires_grad=True)
y = torch.rand(6, 1, device="cuda")
for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss, F.l1_loss, F.binary_cross_entropy_with_logits):
    for reduction in ("mean", "sum", "none"):
        loss(x, y, reduction=reduction).sum().backward()
same = (F.mse_loss(x, y) - ((x - y) ** 2).mean()).abs().item()
print(same < 1e-6)
""")
        self.assertEqual((outcome.status, outcome.out), (0, "True\n"), outcome.err)
        self.assertNotIn("Warning", outcome.err)

    def test_memory_is_reused_in_the_order_of_the_stream(self):
        outcome = run("""import torch
x = torch.ones(1000, device="cuda")
torch.cuda.reset_peak_memory_stats()
before = torch.cuda.memory_allocated()
for _ in range(50):
    y = x + 1
print(torch.cuda.memory_allocated() - before, torch.cuda.max_memory_allocated() - before)
""")
        self.assertEqual(outcome.out.split(), ["4000", "8000"], outcome.err)

    def test_threads_may_call_pytorch(self):
        outcome = run("""import threading, torch
sums = [0.0] * 4
def work(k):
    x = torch.full((8,), float(k), device="cuda")
    for _ in range(100):
        x = x + 1
    sums[k] = x.sum().item()
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(sums)
""", "--device", "cpu")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertEqual(outcome.out.strip(), str([8.0 * (k + 100) for k in range(4)]))

    def test_a_loader_with_workers_and_a_forked_process(self):
        outcome = run("""import torch, os
from torch.utils.data import DataLoader, TensorDataset
x = torch.ones(2, device="cuda")
total = 0
for (batch,) in DataLoader(TensorDataset(torch.arange(8.0)), 4, num_workers=2):
    total += batch.cuda().sum()
print(total.item())
child = os.fork()
if child == 0:
    try:
        x + 1
    except RuntimeError as error:
        os._exit(7 if "another process (keep to CPU tensors there)" in str(error) else 8)
    os._exit(9)
print(os.WEXITSTATUS(os.waitpid(child, 0)[1]), (x + 1).tolist())
""", "--device", "cpu")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertEqual(outcome.out.split("\n")[:2], ["28.0", "7 [2.0, 2.0]"])
        # The program asked for none of these waits: they are no barriers.
        self.assertEqual({(w["name"], w["kind"]) for w in outcome.report["waits"] if w["name"] == "fork"},
                         {("fork", "copy")})

    def test_at_exit_pytorch_is_an_error_and_no_crash(self):
        outcome = run("""import atexit, torch
x = torch.ones(2, device="cuda")
atexit.register(lambda: print("exit", x.device))
""")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertIn("exit cuda:0", outcome.out)


STREAMS = """import torch
x = torch.ones(64, 64, device="cuda")
y = torch.zeros(64, 64, device="cuda")
s = torch.cuda.Stream()
torch.cuda.synchronize()
for _ in range(4):
    y += x @ x
%s
with torch.cuda.stream(s):
    early = y.sum()
torch.cuda.synchronize()
print("early", early.item())
"""


class Streams(unittest.TestCase):
    """On the simulated device alone: some of these programs race on purpose."""

    def good(self, text, *options):
        outcome = run(text, "--device", "simulated", *options)
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def test_what_nothing_orders_is_a_race(self):
        outcome = self.good(STREAMS % "pass")
        (race,) = outcome.report["races"]
        self.assertEqual((race["kind"], race["op"]["line"], race["other"]["line"]), ("read_write", 10, 7))
        self.assertEqual((race["op"]["lane"], race["other"]["lane"]), ("Stream 1", "Stream 0"))

    def test_each_way_to_order_them_is_enough(self):
        for order in ("s.wait_stream(torch.cuda.current_stream())",
                      "done = torch.cuda.Event()\ndone.record()\ns.wait_event(done)",
                      "done = torch.cuda.current_stream().record_event()\ndone.wait(s)",
                      "torch.cuda.synchronize()", "torch.cuda.current_stream().synchronize()", "y.sum().item()",
                      "while not torch.cuda.current_stream().query():\n    pass"):
            with self.subTest(order):
                outcome = self.good(STREAMS % order)
                self.assertEqual(outcome.report["races"], [])
                self.assertIn("early 1048576.0", outcome.out)

    def test_the_backward_pass_is_in_the_streams_of_the_forward_pass(self):
        outcome = self.good("""import torch
w = torch.ones(8, 8, device="cuda", requires_grad=True)
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    a = (w * 2).sum()
torch.cuda.current_stream().wait_stream(s)
a.backward()
print(w.grad.sum().item())
""")
        self.assertEqual(outcome.out, "128.0\n")
        self.assertEqual(outcome.report["races"], [])

    def test_memory_is_reused_in_the_stream_that_it_was_made_in(self):
        text = """import torch
s = torch.cuda.Stream()
big = torch.randn(300, 300, device="cuda")
t = torch.ones(64, 64, device="cuda")
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    for _ in range(3):
        big = big @ big
    u = t * 2
%s
del t
v = torch.zeros(64, 64, device="cuda")
torch.cuda.synchronize()
print(u.sum().item())
"""
        self.assertIn("reuse", [race["kind"] for race in self.good(text % "pass").report["races"]])
        kept = self.good(text % "t.record_stream(s)")
        self.assertEqual(kept.report["races"], [])
        self.assertIn("8192.0", kept.out)

    def test_set_grows_a_storage_that_is_too_small(self):
        text = """import torch
x, s = torch.empty(0, device="cuda"), torch.ones(4, device="cuda")
x.set_(s.storage(), 2, (300000,), (1,))
print(x.shape, x.storage_offset(), x.storage().nbytes(), s.storage().nbytes())
x[2:].fill_(1.0)
print(s.tolist(), x.sum().item())
"""
        for device in ("cpu", "simulated"):
            outcome = run(text, "--device", device)
            self.assertEqual(outcome.status, 0, outcome.err)
            self.assertEqual(outcome.out, "torch.Size([300000]) 2 1200008 1200008\n[1.0, 1.0, 1.0, 1.0] 300000.0\n")

    def test_without_a_budget_the_memory_is_the_machines(self):
        outcome = run("import torch\nfree, total = torch.cuda.mem_get_info()\nprint(free == total > 1 << 29)\n",
                      "--device", "simulated", "--budget", "none")
        self.assertEqual((outcome.status, outcome.out), (0, "True\n"), outcome.err)

    def test_events_take_times(self):
        outcome = self.good("""import torch
s = torch.cuda.Stream()
begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
with torch.cuda.stream(s):
    begin.record()
    z = torch.randn(300, 300, device="cuda")
    z = z @ z
    end.record()
end.synchronize()
print(begin.elapsed_time(end) > 0.001)
""")
        self.assertEqual(outcome.out, "True\n")

    def test_random_numbers_of_several_streams_are_drawn_in_the_order_of_issue(self):
        outcome = self.good("""import torch
torch.manual_seed(3)
s = torch.cuda.Stream()
a = torch.rand(5, device="cuda")
with torch.cuda.stream(s):
    b = torch.rand(5, device="cuda")
torch.cuda.synchronize()
torch.manual_seed(3)
print(torch.equal(torch.rand(5, device="cuda"), a), torch.equal(torch.rand(5, device="cuda"), b))
""")
        self.assertEqual(outcome.out, "True True\n")
        self.assertEqual(outcome.report["races"], [])

    def test_too_many_streams_are_an_error_that_says_so(self):
        outcome = run("import torch\nkept = [torch.cuda.Stream() for _ in range(4)]\n", "--device", "simulated")
        self.assertEqual(outcome.status, 1)
        self.assertIn("run it with --streams 5 or more", outcome.err)
        outcome = run("import torch\ntorch.cuda.Stream()\n", "--device", "cpu", "--workers", "1")
        self.assertEqual(outcome.status, 1)
        self.assertIn("run it with --workers 2 or more", outcome.err)
        self.assertIn("in the window under Engine", outcome.err)


if __name__ == "__main__":
    module.skip_without_it()
    unittest.main(verbosity=1)
