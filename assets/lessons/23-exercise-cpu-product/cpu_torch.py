import headway as hw
import torch

reps = 5
size = 500

a = torch.randn(size, size, device="cpu")
b = torch.mm(a, a)
hw.measure()

with hw.timed("issued"):
    for _ in range(reps):
        a = torch.randn(size, size, device="cpu")
        b = torch.mm(a, a)

with hw.timed("finished"):
    for _ in range(reps):
        a = torch.randn(size, size, device="cpu")
        b = torch.mm(a, a)
    hw.waitall()
