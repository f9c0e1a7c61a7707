"""What surrounds the ops: other processes, memory numbers, profilers, and the parts of torch.cuda."""

import os
import tempfile
import unittest

import module
from module import run


class Library(unittest.TestCase):
    def good(self, text, *options, **environment):
        outcome = run(text, "--device", "simulated", *options, timeout=60, **environment)
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome

    def confined(self, text):
        with tempfile.TemporaryDirectory() as folder:
            return run(text, "--device", "simulated", "--confine", folder, timeout=60, TMPDIR=folder)

    def test_a_confined_loader_has_workers(self):
        outcome = self.confined("""import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.arange(8.0).view(8, 1), torch.arange(8))
total = torch.zeros(1, device="cuda")
for x, labels in DataLoader(data, 4, num_workers=2):
    total += x.to("cuda").sum() + labels.cuda().sum()
print(total.tolist())
""")
        self.assertEqual((outcome.status, outcome.out), (0, "[56.0]\n"), outcome.err)

    def test_confined_processes_send_values_and_no_shared_tensors(self):
        outcome = self.confined("""import torch
from torch import multiprocessing
def work(queue, shared):
    shared += 1
    queue.put(torch.arange(6).view(2, 3)[:, 1:])
    queue.put(torch.nn.Parameter(torch.ones(2, dtype=torch.bfloat16)))
queue, shared = multiprocessing.Queue(), torch.zeros(2).share_memory_()
worker = multiprocessing.Process(target=work, args=(queue, shared))
worker.start()
print(queue.get().tolist(), queue.get())
worker.join()
print(shared.tolist())
try:
    multiprocessing.reducer.ForkingPickler.dumps(shared)
except RuntimeError as error:
    print(error)
""")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertIn("[[1, 2], [4, 5]] Parameter containing:", outcome.out)
        self.assertIn("[1.0, 1.0]\n", outcome.out)
        self.assertIn("a confined program cannot send a tensor in shared memory", outcome.out)

    def test_a_cpu_tensor_that_is_read_before_its_copy_was_waited_for(self):
        text = """import torch
x, there = torch.ones(2, device="cuda"), torch.zeros(2).pin_memory()
event = torch.cuda.Event()
for _ in range(2):
    there.copy_(x, non_blocking=True)
    event.record()
    %s
    there.tolist()
other = x.to("cpu", non_blocking=True)
print(other[0])
torch.cuda.synchronize()
print(other, there, x.cpu())
"""
        for wait in ("event.synchronize()", "torch.cuda.synchronize()", "x.sum().item()",
                     "while not event.query():\n        pass"):
            outcome = self.good(text % wait)
            self.assertEqual(outcome.err.count("UserWarning: this reads a CPU tensor that the non_blocking copy of line "),
                             1, outcome.err)
            self.assertIn("copy of line %d may not" % (9 + wait.count("\n")), outcome.err)
            self.assertIn("program.py:%d: UserWarning" % (10 + wait.count("\n")), outcome.err)
        outcome = self.good(text % "pass")
        self.assertIn("program.py:8: UserWarning: this reads a CPU tensor that the non_blocking copy of line 5 may", outcome.err)

    SPAWN = """import torch
from torch import multiprocessing
from torch.utils.data import DataLoader, TensorDataset
def work(queue):
    queue.put([float(torch.arange(3.0).sum()), torch.cuda.is_available()])
if __name__ == "__main__":
    data, total = TensorDataset(torch.arange(8.0)), torch.zeros(1, device="cuda")
    for (x,) in DataLoader(data, 4, num_workers=1, multiprocessing_context="spawn"):
        total += x.cuda().sum()
    queue = multiprocessing.get_context("spawn").Queue()
    worker = multiprocessing.get_context("spawn").Process(target=work, args=(queue,))
    worker.start()
    print(total.tolist(), queue.get())
    worker.join()
"""

    def test_a_spawned_process_has_plain_pytorch(self):
        self.assertEqual(self.good(self.SPAWN).out, "[28.0] [3.0, False]\n")

    def test_a_confined_program_cannot_spawn(self):
        outcome = self.confined(self.SPAWN)
        self.assertEqual(outcome.status, 1)
        self.assertIn("a confined program cannot start processes with spawn or forkserver", outcome.err)

    def test_convolutions_and_recurrent_networks_can_be_traced(self):
        outcome = self.good("""import torch
from torch import nn
class Last(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells, self.head = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 2)
    def forward(self, x):
        return self.head(self.cells(x)[0][:, -1])
cnn = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4, 3))
up = nn.Sequential(nn.Conv1d(3, 4, 2), nn.ConvTranspose1d(4, 2, 3, stride=2, bias=False))
for net, shape in ((cnn, (2, 1, 5, 5)), (up, (2, 3, 6)), (Last(), (2, 5, 3))):
    net, x = net.cuda().eval(), torch.randn(shape, device="cuda")
    traced = torch.jit.trace(net, x)
    traced.save("traced.pt")
    again, other = torch.jit.load("traced.pt"), torch.randn(shape, device="cuda")
    net(other).sum().backward()
    expected = [p.grad.clone() for p in net.parameters()]
    net.zero_grad()
    traced(other).sum().backward()
    print(torch.allclose(traced(other), net(other)), torch.allclose(again(other), net(other)),
          all(torch.allclose(a, p.grad) for a, p in zip(expected, net.parameters())))
try:
    torch.jit.trace(cnn, torch.ones(1, 2, 5, 5, device="cuda"))
except RuntimeError as error:
    print("to have 1 channels" in str(error))
print(torch.jit.trace(nn.Conv2d(1, 1, 1).cuda(), torch.ones(1, 1, 2, 2, device="cuda")).graph is not None)
""".replace('"traced.pt"', repr(os.path.join(tempfile.gettempdir(), "headway-traced-%d.pt" % os.getpid()))))
        self.assertEqual(outcome.out, "True True True\n" * 3 + "True\nTrue\n")

    def test_the_types_of_cuda_tensors(self):
        outcome = self.good("""import torch
x = torch.cuda.FloatTensor([1, 2])
print(x, x.type(), torch.cuda.FloatTensor(2, 3).shape, torch.cuda.LongTensor([3]).tolist())
print([isinstance(t, torch.cuda.FloatTensor) for t in (x, x.cpu(), x.half())], x.is_cuda, x.cpu().is_cuda)
y = torch.ones(2)
print(y.type("torch.cuda.FloatTensor").device, y.type(torch.cuda.DoubleTensor).dtype, x.type(torch.FloatTensor).device)
torch.set_default_tensor_type("torch.cuda.DoubleTensor")
print(torch.ones(1).device, torch.tensor([1.0]).dtype, next(torch.nn.Linear(1, 1).parameters()).device, torch.Tensor(2).device)
torch.set_default_tensor_type(torch.FloatTensor)
print(torch.ones(1).device)
""")
        self.assertEqual(outcome.out, """tensor([1., 2.], device='cuda:0') torch.cuda.FloatTensor torch.Size([2, 3]) [3]
[True, False, False] True False
cuda:0 torch.float64 cpu
cuda:0 torch.float64 cuda:0 cuda:0
cpu
""")

    def test_generators_of_the_device(self):
        outcome = self.good("""import torch
g = torch.Generator(device="cuda").manual_seed(3)
print(g.device, torch.Generator().device, isinstance(g, torch.Generator), isinstance(torch.default_generator, torch.Generator))
a, state = torch.randn(3, device="cuda", generator=g), g.get_state()
b = torch.rand(2, device="cuda", generator=g)
g.set_state(state)
print(torch.equal(torch.rand(2, device="cuda", generator=g), b), g.initial_seed())
print(torch.equal(torch.randn(3, device="cuda", generator=g.manual_seed(3)), a))
""")
        self.assertEqual(outcome.out, "cuda:0 cpu True True\nTrue 3\nTrue\n")
        self.assertIn("Generator.manual_seed", [w["name"] for w in outcome.report["waits"]])

    def test_record_function_and_nvtx_are_scopes(self):
        outcome = self.good("""import torch
from torch.profiler import record_function
w = torch.ones(8, 8, device="cuda", requires_grad=True)
opt = torch.optim.SGD([w], 0.1)
with record_function("forward"):
    loss = (w @ w).sum()
torch.cuda.nvtx.range_push("backward")
loss.backward()
with torch.cuda.nvtx.range("step"):
    opt.step()
opt.zero_grad()
print(torch.cuda.nvtx.range_pop(), torch.cuda.nvtx.range_pop())
try:
    with record_function("failed"):
        raise ValueError
except ValueError:
    torch.cuda.synchronize()
@torch.jit.script
def compiled(x: torch.Tensor):
    with torch.autograd.profiler.record_function("compiled"):
        return x + 1
compiled(w)
""")
        self.assertEqual(outcome.out, "0 -1\n")
        self.assertEqual([s["name"] for s in outcome.report["scopes"]], ["forward", "backward", "step", "failed", "compiled"])

    def test_a_tensor_is_resized_in_the_format_that_is_asked_for(self):
        outcome = self.good("""import torch
x = torch.ones(2, 3, 8, 8, device="cuda")
print(x.resize_(2, 3, 8, 8, memory_format=torch.channels_last).stride(), x.resize_(2, 3, 8, 8).stride())
""")
        self.assertEqual(outcome.out, "(192, 1, 24, 3) (192, 64, 8, 1)\n")

    def test_a_loader_is_a_scope_of_its_own(self):
        outcome = self.good("""import torch
from torch.utils.data import DataLoader, TensorDataset
total = torch.zeros((), device="cuda")
for (batch,) in DataLoader(TensorDataset(torch.arange(8.0)), 4):
    total += batch.cuda().sum()
print(total.item())
""")
        self.assertEqual(outcome.out, "28.0\n")
        self.assertEqual([s["name"] for s in outcome.report["scopes"]], ["DataLoader"] * 3)

    def test_a_second_gpu_is_an_error(self):
        outcome = self.good("""import torch
for call in (lambda: torch.ones(1, device="cuda:1"), lambda: torch.ones(1).to("cuda:1"), lambda: torch.ones(1).cuda(1)):
    try:
        call()
    except RuntimeError as error:
        print(error)
""")
        self.assertEqual(outcome.out, "CUDA error: invalid device ordinal. There is no cuda:1: this run has one "
                         "GPU; run it on simulated with --gpus 2 or more (in the window under Engine)\n" * 3)

    def test_autocast_takes_attention_and_losses(self):
        outcome = self.good("""import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
x, layer = torch.randn(2, 5, 8), nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
expected = layer(x)
F.cross_entropy(expected.mean(1), torch.tensor([1, 2])).backward()
gradients = [p.grad.clone() for p in layer.parameters()]
layer.zero_grad()
layer.cuda()
with torch.autocast("cuda"):
    got = layer(x.cuda())
    loss = F.cross_entropy(got.mean(1), torch.tensor([1, 2], device="cuda"))
loss.backward()
print(torch.allclose(got.float().cpu(), expected, atol=2e-2),
      all(torch.allclose(p.grad.cpu(), g, atol=2e-2) for p, g in zip(layer.parameters(), gradients)))
h = torch.randn(4, 6).half().cuda().requires_grad_()
for f in (F.softmax, F.log_softmax):
    y, r = f(h, 1, dtype=torch.float32), h.detach().float().cpu().requires_grad_()
    (g,), (e,) = torch.autograd.grad(y.pow(2).sum(), h), torch.autograd.grad(f(r, 1).pow(2).sum(), r)
    print(y.dtype, torch.allclose(y.cpu(), f(r, 1)), g.dtype, torch.allclose(g.float().cpu(), e, atol=1e-2))
""")
        self.assertEqual(outcome.out, "True True\n" + "torch.float32 True torch.float16 True\n" * 2)

    def test_empty_cache_gives_back_what_is_not_in_use(self):
        outcome = self.good("""import torch
MB = 2**20
kept = torch.zeros(8 * MB // 4, device="cuda")
a = torch.zeros(50 * MB // 4, device="cuda")
b = a + 1
del a, b
assert torch.cuda.memory_reserved() >= 108 * MB
torch.cuda.empty_cache()
reserved, (free, total) = torch.cuda.memory_reserved(), torch.cuda.mem_get_info()
print(torch.cuda.memory_allocated() // MB, 8 * MB <= reserved <= 10 * MB, total - free == reserved)
print(torch.cuda.max_memory_reserved() >= 108 * MB)
torch.cuda.reset_peak_memory_stats()
print(torch.cuda.max_memory_reserved() == reserved)
print((torch.full((50 * MB // 4,), 2.0, device="cuda")[-3:] + kept[:3]).tolist())
stats = torch.cuda.memory_stats()
print(stats["allocated_bytes.all.current"], "allocated" in torch.cuda.memory_summary())
""")
        self.assertEqual(outcome.out, "8 True True\nTrue\nTrue\n[2.0, 2.0, 2.0]\n%d True\n" % (8 << 20))
        self.assertIn("torch.cuda.empty_cache", [w["name"] for w in outcome.report["waits"]])

    def test_the_seed_of_the_run_is_the_devices_until_the_program_seeds_it(self):
        text = """import torch
print(torch.cuda.initial_seed(), torch.rand(2, device="cuda").tolist())
torch.manual_seed(3)
print(torch.rand(2, device="cuda").tolist(), torch.cuda.initial_seed())
"""
        first, again, other = (self.good(text, *s).out.splitlines() for s in ([], ["--seed", "0"], ["--seed", "5"]))
        self.assertEqual(first, again)
        self.assertNotEqual(first[0], other[0])
        self.assertTrue(other[0].startswith("5 "))
        self.assertEqual(first[1], other[1])
        self.assertTrue(first[1].endswith(" 3"))

    def test_a_profiler_takes_the_times_of_the_cpu(self):
        outcome = self.good("""import torch
from torch.profiler import profile, ProfilerActivity
x = torch.randn(8, 64).cuda()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
    y = x @ x.T
print(p.key_averages().table(sort_by="cuda_time_total", row_limit=5))
with torch.autograd.profiler.profile(use_cuda=True) as p:
    y = x @ x.T
""")
        self.assertIn("aten::matmul", outcome.out)
        self.assertNotIn("CUDA", outcome.err)

    def test_an_encoder_takes_a_padding_mask(self):
        outcome = self.good("""import torch
from torch import nn
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2).eval()
x = torch.randn(2, 5, 16)
mask = torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]).bool()
with torch.no_grad():
    expected = encoder(x, src_key_padding_mask=mask)
    encoder.cuda()
    got = encoder(x.cuda(), src_key_padding_mask=mask.cuda()).cpu()
print(torch.allclose(got[~mask], expected[~mask], atol=1e-5))
""")
        self.assertEqual(outcome.out, "True\n")

    def test_float16_is_computed_where_the_cpu_has_no_kernel(self):
        outcome = self.good("""import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(1)
a, b = torch.randn(4, 4), torch.randn(4, 4)
h, k = a.half().cuda(), b.half().cuda()
def close(x, y):
    assert x.dtype == torch.float16, x.dtype
    return torch.allclose(x.float().cpu(), y, atol=2e-2)
h.requires_grad_()
y = F.softmax(h @ k, 1)
y.pow(2).sum().backward()
a.requires_grad_()
z = F.softmax(a @ b, 1)
z.pow(2).sum().backward()
print(close(y, z), close(h.grad, a.grad))
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
x = torch.randn(3, 1, 4, 4)
expected = net(x)
print(close(net.half().cuda()(x.half().cuda()), expected))
c = k.clone()
c.addmm_(k, k)
print(close(c, b + b @ b))
print(close(k.exp_(), b.exp()))
norm = nn.LayerNorm(4)
print(close(norm.half().cuda()(b.half().cuda()), F.layer_norm(b, (4,))))
""")
        self.assertEqual(outcome.out, "True True\nTrue\nTrue\nTrue\nTrue\n")

    def test_a_gradient_scaler_grows_and_backs_off(self):
        outcome = self.good("""import torch
w = torch.ones(2, device="cuda", requires_grad=True)
opt = torch.optim.SGD([w], lr=0.5)
scaler = torch.cuda.amp.GradScaler(init_scale=8.0, growth_interval=2)
for factor in (1.0, 1.0, float("inf"), 1.0):
    opt.zero_grad()
    with torch.autocast("cuda"):
        loss = (w * factor).sum()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
    print(scaler.get_scale(), w.tolist())
""")
        self.assertEqual(outcome.out, "8.0 [0.5, 0.5]\n16.0 [0.0, 0.0]\n8.0 [0.0, 0.0]\n8.0 [-0.5, -0.5]\n")

    def test_means_and_norms_of_float16_are_summed_in_float32(self):
        outcome = self.good("""import torch
from torch.nn import functional as F
x = torch.full((1000,), 100.0, device="cuda").half()
print(x.mean().item(), x.norm().item(), F.adaptive_avg_pool2d(x.view(1, 1, 10, 100), 1).item())
print(torch.arange(1000.0, device="cuda").half().var().item())
print(F.layer_norm(x.view(2, 500), (500,)).dtype, x.mean(dtype=torch.float32).dtype)
""")
        self.assertEqual(outcome.out, "100.0 3162.0 100.0\ninf\ntorch.float16 torch.float32\n")

    def test_a_sparse_tensor_can_be_printed_while_a_copy_is_on_its_way(self):
        outcome = self.good("""import torch
s = torch.eye(3).to_sparse()
h = torch.ones(3, device="cuda").to("cpu", non_blocking=True)
print(s.layout, str(s)[:6])
""")
        self.assertEqual(outcome.out, "torch.sparse_coo tensor\n")

    def test_what_the_device_lacks_says_so(self):
        outcome = run("import torch\ntorch.cuda.CUDAGraph()\n", "--device", "simulated")
        self.assertIn("Headway's CUDA device has no CUDA graphs", outcome.err)
        outcome = self.good("""import torch
from torch import nn
print(torch.cuda.get_arch_list())
for call in (torch.cuda.memory_snapshot, torch.cuda.current_blas_handle):
    try:
        call()
    except Exception as error:
        print(error)
print(hasattr(torch._C, "_cuda_nothing"))
net = nn.Linear(3, 2).cuda()
x = torch.ones(4, 3, device="cuda", requires_grad=True)
y = nn.DataParallel(net)(x)
y.sum().backward()
print(torch.equal(y, net(x)), torch.equal(nn.DataParallel(net)(x.cpu()), y), x.grad.shape)
nn.LSTM(2, 3).cuda()(torch.ones(1, 1, 2, device="cuda"))
""")
        lines = outcome.out.splitlines()
        self.assertEqual(lines[0], "[]")
        self.assertTrue(all("Headway's CUDA device" in line for line in lines[1:3]), lines)
        self.assertEqual(lines[3:], ["False", "True True torch.Size([4, 3])"])
        self.assertNotIn("cuDNN", outcome.err)


if __name__ == "__main__":
    module.skip_without_it()
    unittest.main(verbosity=1)
