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


if __name__ == "__main__":
    module.skip_without_it()
    unittest.main(verbosity=1)
