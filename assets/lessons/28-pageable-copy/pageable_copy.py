import headway as hw
import torch

steps = 6
size = 400
memory = "pageable"

# make data
x = torch.randn(size, size)  # on the CPU
if memory == "pinned":
    x = x.pin_memory()
w = torch.randn(size, size, device="cuda") * size ** -0.5
torch.cuda.synchronize()
hw.measure()

# issue
for _ in range(steps):
    with hw.scope("copy"):
        batch = x.to("cuda", non_blocking=True)
    y = batch @ w

# wait
torch.cuda.synchronize()
