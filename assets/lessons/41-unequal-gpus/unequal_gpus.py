import headway as hw
import torch

batch = 3000
size = 500
share = 50
steps = 4


def wait():
    for gpu in range(2):
        torch.cuda.synchronize(gpu)


def step():
    for gpu in range(2):
        outputs = torch.mm(inputs[gpu], weights[gpu])
        gradients[gpu] = torch.mm(transposed[gpu], outputs)
    from_second = gradients[1].to("cuda:0", non_blocking=True)
    from_first = gradients[0].to("cuda:1", non_blocking=True)
    weights[0] -= (gradients[0] + from_second) * 1e-5
    weights[1] -= (from_first + gradients[1]) * 1e-5


# make data: the same weights on both GPUs, and a part of the batch on each
rows = [batch * share // 100, batch - batch * share // 100]
inputs, transposed, gradients = [], [], [None, None]
for gpu in range(2):
    inputs.append(torch.randn(rows[gpu], size, device="cuda:%d" % gpu))
    transposed.append(inputs[gpu].t())
weights = [torch.randn(size, size, device="cuda:0")]
weights.append(weights[0].to("cuda:1"))
wait()
hw.measure()

# compute
with hw.timed("training"):
    for _ in range(steps):
        step()
    wait()

# check
print("the same weights:", weights[0].sum().item() == weights[1].sum().item())
