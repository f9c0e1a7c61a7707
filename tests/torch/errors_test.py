"""Errors of arguments are the call's, errors of kernels those of the wait, with op, minibatch and line."""

import subprocess
import unittest

import module
from module import run


class Errors(unittest.TestCase):
    def test_an_error_of_a_kernel_surfaces_at_the_wait_with_op_and_line(self):
        text = """import torch
t = torch.arange(3.0, device="cuda")
i = torch.tensor([7], device="cuda")
v = t.gather(0, i)
w = t + 1
print("issued", w.sum().item())
print(v)
"""
        for device in ("cpu", "simulated"):
            outcome = run(text, "--device", device)
            self.assertEqual(outcome.status, 1)
            self.assertIn("issued 6.0", outcome.out)
            self.assertIn("index 7 is out of bounds", outcome.err)
            self.assertIn("(in aten::gather)", outcome.err)
            self.assertIn("at program.py:4", outcome.err)
        outcome = run(text, "--device", "cpu", CUDA_LAUNCH_BLOCKING="1")
        self.assertNotIn("issued", outcome.out)
        self.assertIn("index 7 is out of bounds", outcome.err)

    def test_an_error_of_a_kernel_is_not_lost_in_a_fork(self):
        outcome = run("""import os
import torch
t = torch.arange(4.0, device="cuda")
v = t[torch.tensor([9], device="cuda")]
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
print("forked")
torch.cuda.synchronize()
print("went on")
""", "--device", "cpu")
        self.assertEqual((outcome.status, outcome.out), (1, "forked\n"), outcome.err)
        self.assertIn("index 9 is out of bounds", outcome.err)
        self.assertNotIn("Exception ignored", outcome.err)

    def test_a_line_that_is_no_longer_recorded_is_not_taken_for_another(self):
        outcome = run("""import torch
x = torch.ones(3, device="cuda")
y = x[torch.tensor([9], device="cuda")]
for i in range(600000):
    x.add_(1)
torch.cuda.synchronize()
""", "--device", "cpu", "--trace-limit", "30000000")
        self.assertEqual(outcome.status, 1)
        self.assertIn("caused by op 3 (its line is no longer in the recording), at program.py:6", outcome.err)

    def test_an_error_late_in_a_long_run_names_its_line(self):
        outcome = run("""import torch
x = torch.ones(3, device="cuda")
for i in range(400000):
    x.add_(1)
torch.cuda.synchronize()
y = x[torch.tensor([9], device="cuda")]
z = y + 1
print(z)
""", "--device", "cpu", "--trace-limit", "30000000")
        self.assertEqual(outcome.status, 1)
        self.assertIn("at program.py:6", outcome.err)

    def test_an_error_of_the_call_is_the_calls(self):
        outcome = run("import torch\nx = torch.ones(2, 3, device='cuda')\nx @ x\n")
        self.assertEqual(outcome.status, 1)
        self.assertIn("mat1 and mat2 shapes cannot be multiplied", outcome.err)
        outcome = run("import torch\ntorch.ones(3, device='cuda') + torch.ones(3)\n")
        self.assertIn("found at least two devices", outcome.err)
        outcome = run("import torch\nx = torch.ones(2, 2, device='cuda')\nx @ x.long()\nprint('issued')\n")
        self.assertNotIn("issued", outcome.out)
        self.assertIn("expected scalar type Float but found Long", outcome.err)

    def test_an_output_of_the_wrong_size_gets_the_right_one_with_pytorchs_warning(self):
        text = """import torch
dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.ones(2, 3, device=dev)
for size in (2, 2, 9):
    o = torch.zeros(size, device=dev)
    torch.add(x, 1, out=o)
    print(o.tolist(), o.stride())
"""
        outcome = run(text, "--device", "simulated")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertEqual(outcome.out, "[[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]] (3, 1)\n" * 3)
        self.assertIn("UserWarning: An output with one or more elements was resized", outcome.err)

    def test_an_error_of_a_kernel_names_its_minibatch(self):
        text = """import torch
table = torch.nn.Embedding(5, 3).cuda()
opt = torch.optim.SGD(table.parameters(), 0.1)
for i in range(4):
    opt.zero_grad()
    loss = table(torch.tensor([2 * i]).cuda()).sum()
    loss.backward()
    opt.step()
try:
    loss.item()
except RuntimeError as error:
    print(error)
"""
        outcome = run(text, "--device", "simulated")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertRegex(outcome.out, r"^index out of range in self \(in aten::index_select\), caused by op \d+ "
                                      r"in minibatch 3, at program.py:6$")

    def test_indices_of_the_cpu_are_taken_by_indexing_only(self):
        outcome = run("""import torch
x, i, v = torch.ones(3, 2, device="cuda"), torch.tensor([0, 1]), torch.ones(2, 2)
calls = {"embedding": lambda: torch.nn.functional.embedding(i, x), "select": lambda: x.index_select(0, i),
         "add": lambda: x.index_add(0, i, v.cuda()), "values": lambda: x.index_add(0, i.cuda(), v),
         "fill": lambda: x.index_fill(0, i, 1.0),
         "other": lambda: torch.index_select(v, 0, i.cuda()), "x[i]": lambda: x[i], "put": lambda: x.__setitem__(i, 2.0)}
for name, call in calls.items():
    try:
        call()
        print(name, "works")
    except RuntimeError as error:
        print(name, str(error)[:53])
""", "--device", "simulated")
        refused = "Expected all tensors to be on the same device, but fo"
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertEqual(outcome.out.splitlines(), [
            *("%s %s" % (name, refused) for name in ("embedding", "select", "add", "values", "fill", "other")),
            "x[i] works", "put works"])

    def test_a_long_message_is_told_in_whole_words(self):
        outcome = run("""import torch
a = torch.randn(3, 3, device="cuda", requires_grad=True)
b = a.exp()
b += 1
b.sum().backward()
""", "--device", "cpu")
        self.assertIn("with torch.autograd.set_detect_anomaly(True), at program.py:5", outcome.err.splitlines()[-1])
        outcome = run("raise ValueError('word ' * 200)\n", "--device", "cpu")
        self.assertIn("word …", outcome.err)

    def test_errors_of_arguments_are_the_calls(self):
        """As plain PyTorch's, in type and words; of shapes and types that the kernel alone looks at, too."""
        text = """import torch
from torch.nn import functional as F
dev = "cuda" if torch.cuda.is_available() else "cpu"
x, i = torch.ones(3, device=dev), torch.tensor([0, 1], device=dev)
m, far = torch.ones(2, 2, device=dev), torch.tensor([7], device=dev)
calls = {
    "index": lambda: x.index_select(0, x), "softmax": lambda: F.softmax(i, 0), "empty": lambda: x[:0].max(),
    "transposed": lambda: F.conv_transpose2d(m.view(1, 1, 2, 2), torch.ones(2, 2, 2, 2, device=dev)),
    "bce": lambda: F.binary_cross_entropy(x[:2], i), "dot": lambda: x.dot(m[0]), "bernoulli": lambda: i.bernoulli(),
    "randint": lambda: torch.randint(5, 3, (2,), device=dev), "addmm": lambda: torch.addmm(x, m, m),
    "set": lambda: x.__setitem__(i, x), "tril": lambda: torch.tril(x), "out": lambda: torch.add(x, x, out=i),
    "complex": lambda: torch.complex(x, x.double()), "normal": lambda: x.normal_(0, -1),
    "after": lambda: x.normal_(0, 1).normal_(0, -1), "unfold": lambda: x.unfold(0, 5, 1),
    "copy": lambda: x.copy_(m[0]), "smaller": lambda: x[:2].copy_(m), "partly": lambda: x[1:].copy_(x[:-1]),
    "self": lambda: x[1:].add_(x[:-1]), "expanded": lambda: x[:1].expand(4).add_(1), "big": lambda: m.expand(9, 2, 2).copy_(m),
    "mean": lambda: i.float().sum(1),
}
for name, call in calls.items():
    try:
        call()
    except Exception as error:
        print(name, type(error).__name__, str(error).splitlines()[0])
if dev == "cuda":  # of values: at the wait
    v = x.gather(0, far)
    try:
        v.tolist()
    except RuntimeError as error:
        print("wait", error)
"""
        plain = subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", text], capture_output=True, text=True)
        self.assertEqual(len(plain.stdout.splitlines()), 23, plain.stdout + plain.stderr)
        for device in ("cpu", "simulated"):
            outcome = run(text, "--device", device)
            self.assertEqual(outcome.status, 0, outcome.err)
            self.assertEqual(outcome.out.splitlines()[:-1], plain.stdout.splitlines())
            self.assertIn("wait index 7 is out of bounds", outcome.out)

    def test_the_budget_is_pytorchs_out_of_memory_error(self):
        outcome = run("""import torch
kept = []
try:
    while True:
        kept.append(torch.ones(256, 1024, device="cuda"))
except torch.cuda.OutOfMemoryError as error:
    print(len(kept), "out of memory" in str(error))
""", "--device", "cpu", "--budget", "8M")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertEqual(outcome.out.strip(), "7 True" if "7 True" in outcome.out else "8 True")


if __name__ == "__main__":
    module.skip_without_it()
    unittest.main(verbosity=1)
