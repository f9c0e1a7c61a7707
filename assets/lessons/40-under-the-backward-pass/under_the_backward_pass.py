import headway as hw
import torch

layers = 6
batch = 3000
size = 500
when = "during"


def exchange(layer):
    for gpu in range(2):
        sides[gpu].wait_stream(torch.cuda.default_stream(gpu))
    first, second = gradients[0][layer], gradients[1][layer]
    with torch.cuda.stream(sides[0]), torch.cuda.stream(sides[1]):
        from_second = second.to("cuda:0", non_blocking=True)
        from_first = first.to("cuda:1", non_blocking=True)
        gradients[0][layer] = first + from_second
        gradients[1][layer] = second + from_first
    first.record_stream(sides[0])
    second.record_stream(sides[1])


def wait():
    for gpu in range(2):
        torch.cuda.synchronize(gpu)


# make data: for each GPU the layers' weights and inputs, transposed, and the error of the last layer
weights, inputs, errors, gradients = [], [], [], []
for device in ("cuda:0", "cuda:1"):
    weights.append([torch.randn(size, size, device=device) * size ** -0.5 for _ in range(layers)])
    inputs.append([torch.randn(size, batch, device=device) for _ in range(layers)])
    errors.append(torch.randn(batch, size, device=device))
    gradients.append([None] * layers)
sides = [torch.cuda.Stream("cuda:0"), torch.cuda.Stream("cuda:1")]
wait()
hw.measure()

# compute
with hw.timed("backward pass"):
    for layer in reversed(range(layers)):
        for gpu in range(2):
            gradients[gpu][layer] = torch.mm(inputs[gpu][layer], errors[gpu])
        if when == "during":
            exchange(layer)
        for gpu in range(2):
            if layer > 0:
                errors[gpu] = torch.mm(errors[gpu], weights[gpu][layer])
    if when == "afterwards":
        for layer in reversed(range(layers)):
            exchange(layer)
    wait()

# check
print("the same sums:", all(a.sum().item() == b.sum().item() for a, b in zip(*gradients)))
