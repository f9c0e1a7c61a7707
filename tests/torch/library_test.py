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

    def test_what_the_device_lacks_says_so(self):
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
