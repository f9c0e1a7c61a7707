import headway as hw
import torch

steps = 8
rows = 200
columns = 1600
wait = "once"

# make data
a = torch.randn(columns, columns, device="cuda") * columns ** -0.5
y = torch.randn(rows, columns, device="cuda")
torch.cuda.synchronize()
hw.measure()

# issue
copies = []
for _ in range(steps):
    y = y @ a
    copies.append(y.to("cpu", non_blocking=(wait == "once")))

# wait
torch.cuda.synchronize()
