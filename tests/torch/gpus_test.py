"""Several simulated GPUs with the real PyTorch: devices, copies between them, streams, memory, random numbers, training."""

import unittest

import module
from module import run

TWO = ("--device", "simulated", "--gpus", "2")


class Case(unittest.TestCase):
    def good(self, text, *options):
        outcome = run(text, *(options or TWO))
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def lines(self, text, *options):
        return self.good(text, *options).out.splitlines()


class Devices(Case):
    def test_a_tensor_is_on_the_gpu_that_is_named_or_current(self):
        lines = self.lines("""import torch
from d2l import torch as d2l
print(torch.cuda.device_count(), d2l.num_gpus(), d2l.try_gpu(3), d2l.try_gpu(4), *d2l.try_all_gpus())
x = torch.ones(2, device="cuda:1")
print(x.device, x.get_device(), x.to("cuda:3").device, x.cuda(2).device, x.cuda().device, x.cpu().device)
torch.cuda.set_device(2)
print(torch.cuda.current_device(), torch.ones(1, device="cuda").device, torch.ones(1).cuda().device)
with torch.cuda.device(1), torch.cuda.device_of(torch.ones(1)):
    print(torch.ones(1).cuda().device, torch.cuda.current_device())
with torch.cuda.device_of(torch.ones(1, device="cuda:3")):
    print(torch.cuda.current_device())
print(torch.cuda.current_device(), torch.cuda.get_device_properties(3).total_memory > 0)
net = torch.nn.Linear(2, 1).to("cuda:3")
print({p.device for p in net.parameters()}, net(torch.ones(1, 2, device="cuda:3")).device)
""", "--device", "simulated", "--gpus", "4")
        self.assertEqual(lines, ["4 4 cuda:3 cpu cuda:0 cuda:1 cuda:2 cuda:3", "cuda:1 1 cuda:3 cuda:2 cuda:0 cpu",
                                 "2 cuda:2 cuda:2", "cuda:1 1", "3", "2 True",
                                 "{device(type='cuda', index=3)} cuda:3"])

    def test_every_op_stays_on_the_gpu_of_its_tensors(self):
        """Whatever the current GPU is; an op's lane says where it ran."""
        outcome = self.good("""import torch
y = torch.arange(6.0, device="cuda:1").reshape(2, 3)
made = [torch.empty_like(y), y.new_zeros(2), torch.zeros_like(y), torch.eye(2, device="cuda:1"), y.nonzero(), y.max(0)[1],
        torch.randperm(4, device="cuda:1"), torch.tensor([1.0], device="cuda:1"), torch.linspace(0, 1, 3, device=1),
        torch.stack([y, y]), y.topk(2)[0], y.long(), y.half(), y.sort()[0], y.unique(), y @ y.t(), y[y > 2],
        torch.nn.functional.dropout(y), torch.nn.functional.one_hot(y.long()), y.std(), torch.from_numpy(y.cpu().numpy()).to(y),
        torch.linalg.svd(y)[1], torch.add(y, y, out=torch.empty(0, device="cuda:1")), y.expand(4, 2, 3).contiguous()]
print({str(each.device) for each in made}, torch.cuda.current_device())
torch.cuda.synchronize(1)
""")
        self.assertEqual(outcome.out, "{'cuda:1'} 0\n")
        self.assertEqual([device["ops"] for device in outcome.report["devices"]], [0, outcome.report["ops"]])

    def test_tensors_of_two_gpus_are_an_error_of_the_call(self):
        lines = self.lines("""import torch
x, y = torch.ones(3, device="cuda:0"), torch.ones(3, device="cuda:1")
for call in (lambda: x + y, lambda: x + y[0], lambda: torch.cat([x, y]), lambda: torch.add(x, x, out=y),
             lambda: torch.where(x > 0, x, y), lambda: torch.nn.Linear(3, 2).to("cuda:1")(x),
             lambda: x[torch.tensor([0], device="cuda:1")], lambda: torch.equal(x, y),
             lambda: torch.ones(2, device="cuda:0").set_(y)):
    try:
        print("no error", call())
    except RuntimeError as error:
        print(str(error).partition(" (in")[0])
""")
        two = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!"
        self.assertEqual(lines, [two] * 6 + [
            "indices should be either on cpu or on the same device as the indexed tensor (cuda:0)",
            "Cannot compare two tensors on different devices. Got: cuda:0 and cuda:1",
            'Attempted to set the storage of a tensor on device "cuda:0" to a storage on different device "cuda:1".'])

    def test_a_gpu_that_the_run_does_not_have(self):
        lines = self.lines("""import torch
for call in (lambda: torch.ones(1, device="cuda:2"), lambda: torch.ones(1).to("cuda:2"), lambda: torch.ones(1).cuda(2),
             lambda: torch.cuda.set_device(2), lambda: torch.cuda.Stream(2), lambda: torch.cuda.memory_allocated("cuda:2")):
    try:
        print("no error", call())
    except (AssertionError, RuntimeError) as error:
        print(error)
""")
        self.assertIn("this run has 2 GPUs, cuda:0 to cuda:1, and 8 at most",
                      run("import torch\ntorch.ones(1, device='cuda:9')\n", *TWO).err)
        has = "this run has 2 GPUs, cuda:0 to cuda:1; run it on simulated with --gpus 3 or more (in the window under Engine)"
        self.assertEqual(lines, ["CUDA error: invalid device ordinal. There is no cuda:2: %s" % has] * 3 +
                         ["Invalid device id: " + has] * 3)

    def test_a_saved_tensor_comes_back_to_its_gpu(self):
        self.assertEqual(self.lines("""import io, torch
def load(**options):
    file.seek(0)
    return torch.load(file, **options)
file = io.BytesIO()
torch.save(torch.arange(3, device="cuda:1"), file)
for there in (load(), load(map_location="cuda:0"), load(map_location={"cuda:1": "cuda:0"}), load(map_location="cpu")):
    print(there.device, there.tolist())
"""), ["cuda:1 [0, 1, 2]", "cuda:0 [0, 1, 2]", "cuda:0 [0, 1, 2]", "cpu [0, 1, 2]"])


class Copies(Case):
    ROUND = """import torch
x = torch.randn(200, 100)
there = x.to("cuda:0")
for number in (1, 0, 1):
    there = there.to("cuda:%d" % number)
other = torch.empty(100, 200, device="cuda:0").t().copy_(there)
torch.cuda.synchronize("cuda:0")
torch.cuda.synchronize("cuda:1")
print(other.cpu().equal(x), there.cpu().equal(x), there[:, 3].to("cuda:0").cpu().equal(x[:, 3]))
"""

    def test_values_survive_and_the_links_carry_the_bytes(self):
        for topology, names in (("pcie", {"PCIe to the GPUs": 1 + 5, "PCIe to the host": 5 + 3}), ("ring", None)):
            outcome = self.good(self.ROUND, *TWO, "--links", topology)
            self.assertEqual(outcome.out, "True True True\n")
            report = outcome.report
            self.assertEqual(report["predicted_ns"], report["total_ns"])
            self.assertEqual(report["races"], [])
            if names:  # without NVLink a copy between GPUs takes both directions
                self.assertEqual({link["name"]: link["copies"] for link in report["links"]}, names)
            else:
                size = 200 * 100 * 4
                links = {link["name"]: (link["copies"], link["bytes"]) for link in report["links"]}
                self.assertEqual(links["NVLink 0 → 1"], (2, 2 * size))
                self.assertEqual(links["NVLink 1 → 0"], (3, 2 * size + 200 * 4))

    def test_a_gpu_waits_for_a_copy_and_no_other_does(self):
        """The copy is in both GPUs' streams; the frontend goes on."""
        outcome = self.good("""import torch
a = torch.randn(600, 600, device="cuda:0")
for _ in range(4):
    a = a @ a / 600
b = a.to("cuda:1") + 1
c = torch.ones(3, device="cuda:1") + 1
print(b.sum().item() == (a + 1).sum().item(), c.tolist())
""")
        self.assertEqual(outcome.out, "True [2.0, 2.0, 2.0]\n")
        self.assertEqual([wait["name"] for wait in outcome.report["waits"]], ["item", "item", "tolist"])
        self.assertGreater(outcome.report["headway_max"], 8)

    def test_two_gpus_take_less_than_the_sum(self):
        text = """import time, torch
def run(x):
    return [x.mm(x) for _ in range(20)]
x = [torch.rand(1000, 1000, device="cuda:%d" % i) for i in range(2)]
torch.cuda.synchronize(0), torch.cuda.synchronize(1)
times = []
for which in ([0], [1], [0, 1]):
    begin = time.perf_counter()
    for i in which:
        run(x[i])
    for i in which:
        torch.cuda.synchronize("cuda:%d" % i)
    times.append(time.perf_counter() - begin)
print(times[2] < 0.7 * (times[0] + times[1]), abs(times[0] - times[1]) < 0.1 * times[0])
"""
        outcome = self.good(text)
        self.assertEqual(outcome.out, "True True\n")
        self.assertEqual(outcome.report["total_ns"], self.good(text).report["total_ns"])
        self.assertEqual([wait["device"] for wait in outcome.report["waits"][:2]], ["simulated:0", "simulated:1"])


class StreamsOfTwoGpus(Case):
    PROGRAM = """import torch
a = torch.randn(300, 300, device="cuda:0")
s, t = torch.cuda.Stream("cuda:0"), torch.cuda.Stream("cuda:1")
s.wait_stream(torch.cuda.default_stream(0))
with torch.cuda.stream(s):
    b = a @ a
%s
with torch.cuda.stream(t):
    c = b.to("cuda:1")
    d = c @ c
%s
e = d + 1
torch.cuda.synchronize(1)
print(torch.allclose(e.cpu(), (a @ a @ a @ a).cpu() + 1, rtol=1e-3, atol=1e-1))
"""
    ORDERED = ("torch.cuda.default_stream(0).wait_stream(s)", "torch.cuda.default_stream(1).wait_stream(t)")

    def races(self, *waits):
        outcome = self.good(self.PROGRAM % waits, *TWO, "--streams", "2")
        return [(race["kind"], race["op"]["line"], race["other"]["line"]) for race in outcome.report["races"]]

    def test_only_what_nothing_orders_is_a_race(self):
        self.assertEqual(self.races(*self.ORDERED), [])
        self.assertEqual(self.races("", self.ORDERED[1]), [("read_write", 9, 6)])
        self.assertEqual(self.races(self.ORDERED[0], ""), [("read_write", 12, 10)])

    def test_a_stream_knows_its_gpu(self):
        self.assertEqual(self.lines("""import torch
t = torch.cuda.Stream("cuda:1")
print(t, t.device, torch.cuda.current_stream("cuda:1"), torch.cuda.default_stream(1).device)
with torch.cuda.stream(t):
    print(torch.cuda.current_device(), torch.cuda.current_stream() == t, torch.ones(1, device="cuda").device)
    print(torch.cuda.current_stream(0) == torch.cuda.default_stream(0))
print(torch.cuda.current_device(), torch.cuda.current_stream(1) == torch.cuda.default_stream(1))
with torch.cuda.stream(None):
    print(torch.cuda.current_device())
"""), ["<torch.cuda.Stream device=cuda:1 cuda_stream=0x1> cuda:1 <torch.cuda.Stream device=cuda:1 cuda_stream=0x0> cuda:1",
       "1 True cuda:1", "True", "0 True", "0"])

    def test_an_event_before_the_first_stream_is_one_of_its_gpu(self):
        """However the program names the streams."""
        outcome = self.good("""import torch
from torch.cuda import Stream
event = torch.cuda.Event()
event.record()
y = torch.ones(1000, 1000, device="cuda:1")
for _ in range(5):
    y = y @ y * 0.001
s = Stream(1)
s.wait_event(event)
with torch.cuda.stream(s):
    z = torch.ones(4, device="cuda:1") + 1
    late = y + 1
s.query()
print(torch.cuda.default_stream(1).query())
""")
        self.assertEqual(outcome.out, "False\n")
        self.assertEqual([(race["kind"], race["op"]["line"]) for race in outcome.report["races"]], [("read_write", 12)])

    def test_an_event_belongs_to_one_gpu(self):
        self.assertEqual(self.lines("""import torch
first, second = (torch.cuda.Event(enable_timing=True) for _ in range(2))
print(first.device)
first.record()
with torch.cuda.device(1):
    second.record()
    print(first.device, second.device)
    for call in (first.record, lambda: first.elapsed_time(second)):
        try:
            print("no error", call())
        except RuntimeError as error:
            print(error)
"""), ["None", "cuda:0 cuda:1", "Event device 0 does not match recording stream's device 1.",
       "CUDA error: invalid resource handle (the events are of two GPUs)"])

    def test_an_event_of_one_gpu_does_not_wait_for_the_other(self):
        outcome = self.good("""import torch
x = [torch.randn(500, 500, device="cuda:%d" % i) for i in range(2)]
torch.cuda.synchronize(0), torch.cuda.synchronize(1)
torch.ones(4, device="cuda:0") + 1
event = torch.cuda.Event()
event.record()
for _ in range(20):
    x[1] = x[1] @ x[1] / 500
event.synchronize()
print(event.query(), torch.cuda.current_stream(1).query())
torch.cuda.synchronize(1)
print(torch.cuda.current_stream(1).query())
""")
        self.assertEqual(outcome.out, "True False\nTrue\n")
        self.assertEqual([wait["device"] for wait in outcome.report["waits"][:4]],
                         ["simulated:0", "simulated:1", "simulated:0", "simulated:1"])


class Numbers(Case):
    def test_memory_is_counted_for_each_gpu(self):
        self.assertEqual(self.lines("""import torch
cuda = torch.cuda
x = torch.ones(1000, device="cuda:1")
print(cuda.memory_allocated(), cuda.memory_allocated(1), cuda.max_memory_allocated("cuda:1"))
y = x.to("cuda:0")
del x
print(cuda.memory_allocated(0), cuda.memory_allocated(1), cuda.max_memory_allocated(1))
cuda.reset_peak_memory_stats(1)
print(cuda.max_memory_allocated(0), cuda.max_memory_allocated(1), cuda.memory_reserved(1) > 0)
free, total = cuda.mem_get_info(1)
print(free == total - cuda.memory_reserved(1))
""", *TWO, "--budget", "1MB"), ["0 4000 4000", "4000 0 4000", "4000 0 True", "True"])

    def test_what_random_numbers_need_is_not_counted(self):
        self.assertEqual(self.lines("""import torch
torch.rand(1000, device="cuda:1").sum().item()
torch.rand(3, generator=torch.Generator("cuda:0"), device="cuda:0").tolist()
print([(torch.cuda.memory_allocated(i), torch.cuda.max_memory_allocated(i)) for i in range(2)])
""", *TWO, "--streams", "2"), ["[(0, 12), (0, 4004)]"])

    def test_the_budget_is_each_gpus_own(self):
        text = """import torch
kept = [torch.ones(150_000, device="cuda:%%d" %% (i %% 2)) for i in range(%d)]
print(len(kept))
"""
        self.assertEqual(self.lines(text % 2, *TWO, "--budget", "1MB"), ["2"])
        outcome = run(text % 3, *TWO, "--budget", "1MB")
        self.assertEqual(outcome.status, 1)
        self.assertIn("OutOfMemoryError", outcome.err)

    def test_each_gpu_has_its_random_numbers(self):
        self.assertEqual(self.lines("""import torch
cuda = torch.cuda
def both():
    return [torch.rand(3, device="cuda:%d" % i).tolist() for i in range(2)]
torch.manual_seed(7)
first = both()
print(first[0] == first[1], both()[0] == first[0])  # PyTorch seeds all GPUs alike
with cuda.device(1):
    cuda.manual_seed(7)
    print(cuda.initial_seed())
again = both()
print(again[0] == first[0], again[1] == first[1])
cuda.manual_seed_all(7)
print(both() == first)
states = cuda.get_rng_state_all()
after = both()
cuda.set_rng_state_all(states)
print(len(states), both() == after, cuda.get_rng_state(1).equal(cuda.get_rng_state("cuda:0")))
generator = torch.Generator("cuda:1").manual_seed(3)
print(generator.device, torch.rand(2, generator=generator, device="cuda:1").device)
"""), ["True False", "7", "False True", "True", "2 True True", "cuda:1 cuda:1"])


    def test_a_generator_gives_its_numbers_in_the_order_of_issue_on_all_gpus(self):
        text = """import torch
def draws(busy):
    generator = torch.Generator("cuda:0").manual_seed(1)
    x = torch.ones(1500, 1500, device="cuda:0")
    torch.cuda.synchronize(0)
    for _ in range(5 * busy):
        x = x @ x * 0
    return [torch.rand(3, generator=generator, device="cuda:%d" % i) for i in range(2)]
idle, busy = draws(False), draws(True)
print([a.tolist() == b.tolist() for a, b in zip(idle, busy)])
"""
        for streams in "12":
            self.assertEqual(self.lines(text, *TWO, "--streams", streams), ["[True, True]"])


class Training(Case):
    """The same numbers as on one GPU, where they are sums of the same terms."""

    SPLIT = """import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
shapes = [(8, 1, 5, 5), (8,), (8 * 12 * 12, 10), (10,)]
start = [torch.randn(s) * 0.1 for s in shapes]
devices = [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
def net(x, p):
    h = F.max_pool2d(F.relu(F.conv2d(x, p[0], p[1])), 2)
    return h.flatten(1) @ p[2] + p[3]
copies = [[w.to(d).requires_grad_() for w in start] for d in devices]
def all_reduce(parts):
    for part in parts[1:]:
        parts[0][:] += part.to(parts[0].device)
    for part in parts[1:]:
        part[:] = parts[0].to(part.device)
for batch in range(3):
    x, y = torch.randn(16, 1, 28, 28), torch.randint(0, 10, (16,))
    xs, ys = nn.parallel.scatter(x, devices), nn.parallel.scatter(y, devices)
    losses = [F.cross_entropy(net(a, p), b, reduction="sum") for a, b, p in zip(xs, ys, copies)]
    for loss in losses:
        loss.backward()
    with torch.no_grad():
        for same in zip(*copies):
            all_reduce([w.grad for w in same])
        for w in sum(copies, []):
            w -= 0.02 * w.grad / 16
            w.grad.zero_()
    print("%.4f" % sum(loss.item() for loss in losses))
print(all(a.cpu().equal(b.cpu()) for a, b in zip(copies[0], copies[-1])))
"""
    PARALLEL = """import torch
from torch import nn
torch.manual_seed(1)
net = nn.Sequential(nn.Conv2d(1, 4, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4 * 12 * 12, 10))
devices = list(range(torch.cuda.device_count()))
net = nn.DataParallel(net, device_ids=devices).to("cuda:0")
trainer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for batch in range(3):
    x, y = torch.randn(16, 1, 28, 28).to("cuda:0"), torch.randint(0, 10, (16,)).to("cuda:0")
    trainer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    trainer.step()
    print("%.3f" % loss.item())
"""

    def test_a_batch_that_is_split_by_hand(self):
        one, two, four = (self.lines(self.SPLIT, "--device", "simulated", "--gpus", gpus) for gpus in "124")
        self.assertEqual(one[-1], "True")
        for more in (two, four):
            self.assertEqual(more[-1], "True")
            for a, b in zip(one[:-1], more[:-1]):
                self.assertAlmostEqual(float(a), float(b), delta=1e-3 * float(a))

    def test_data_parallel(self):
        one = self.lines(self.PARALLEL, "--device", "simulated")
        for gpus in "23":
            outcome = self.good(self.PARALLEL, "--device", "simulated", "--gpus", gpus)
            for a, b in zip(one, outcome.out.splitlines(), strict=True):
                self.assertAlmostEqual(float(a), float(b), delta=2e-3)
            self.assertNotIn("Warning", outcome.err)
            self.assertTrue(all(device["ops"] > 10 for device in outcome.report["devices"]))

    def test_copies_of_torch_nn_parallel(self):
        self.assertEqual(self.lines("""import torch
from torch.nn.parallel import comm
x = torch.arange(10.0).reshape(5, 2)
a, b = comm.scatter(x, [0, 1])
c, d = comm.scatter(x.cuda(1), [1, 0], chunk_sizes=[1, 4])
print(a.device, a.shape, b.device, b.shape, c.device, c.shape, d.device, d.shape)
print(comm.gather([a, b], destination=1).cpu().equal(x), comm.gather([a, b], destination="cpu").equal(x),
      comm.gather([x.t().contiguous().cuda(0), x.t().contiguous().cuda(1)], dim=1).shape)
print([t.device.index for t in comm.broadcast(x.cuda(0), [0, 1])])
outs = [torch.empty(5, 2, device="cuda:%d" % i) for i in range(2)]
comm.broadcast(x.cuda(0), out=outs)
print(all(o.cpu().equal(x) for o in outs))
first, second = comm.broadcast_coalesced([x.cuda(0), torch.ones(3, device="cuda:0").long(), x.cuda(0) + 1], [0, 1])
print([t.device.index for t in second], second[0].cpu().equal(x), second[1].tolist(), second[2].cpu().equal(x + 1))
print(comm.reduce_add([x.cuda(0), x.cuda(1)], 1).cpu().equal(2 * x))
(total,) = comm.reduce_add_coalesced([[x.cuda(0)], [x.cuda(1)]], 0)
print(total.device, total.cpu().equal(2 * x))
parts = [torch.empty(2, 2, device="cuda:0"), torch.empty(3, 2, device="cuda:1")]
comm.scatter(x, out=parts)
print(parts[1].cpu().equal(x[2:]))
"""), ["cuda:0 torch.Size([3, 2]) cuda:1 torch.Size([2, 2]) cuda:1 torch.Size([1, 2]) cuda:0 torch.Size([4, 2])",
       "True True torch.Size([2, 10])", "[0, 1]", "True", "[1, 1, 1] True [1, 1, 1] True", "True", "cuda:0 True", "True"])

    def test_an_optimizer_for_parameters_of_two_gpus(self):
        self.assertEqual(self.lines("""import torch
for kind in (torch.optim.SGD, torch.optim.Adam):
    for foreach in (False, True):
        several = [torch.ones(2, device="cuda:%d" % i, requires_grad=True) for i in (0, 1, 0)]
        for p in several:
            p.grad = torch.full_like(p, 0.5)
        kind(several, 0.1, foreach=foreach).step()
        print([round(p[0].item(), 4) for p in several], [p.device.index for p in several])
print([n.item() for n in torch._foreach_norm([p.grad for p in several])])
"""), ["[0.95, 0.95, 0.95] [0, 1, 0]"] * 2 + ["[0.9, 0.9, 0.9] [0, 1, 0]"] * 2 +
           ["[0.7071067690849304, 0.7071067690849304, 0.7071067690849304]"])

    def test_gradients_go_back_over_the_copy(self):
        self.assertEqual(self.lines("""import torch
w = torch.ones(3, device="cuda:0", requires_grad=True)
x = torch.arange(3.0, device="cuda:1")
((w * 2).to("cuda:1") * x).sum().backward()
print(w.grad.device, w.grad.tolist())
"""), ["cuda:0 [0.0, 2.0, 4.0]"])


if __name__ == "__main__":
    module.skip_without_it()
    unittest.main(verbosity=1)
