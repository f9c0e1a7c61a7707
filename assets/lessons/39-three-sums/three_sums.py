import headway as hw

megabytes = 160
way = "one GPU"


def by_the_first():
    for gpu in range(1, gpus):
        gradients[0][0] += gradients[gpu][0].to("gpu:0")
    for gpu in range(1, gpus):
        gradients[gpu][0] = gradients[0][0].to("gpu:%d" % gpu)


def by_the_cpu():
    total = gradients[0][0].to("cpu")
    for gpu in range(1, gpus):
        total += gradients[gpu][0].to("cpu")
    for gpu in range(gpus):
        gradients[gpu][0] = total.to("gpu:%d" % gpu)


def send(part, of, to):
    return gradients[of][part].to("gpu:%d" % to)


def around():
    for step in range(gpus - 1):
        for gpu in range(gpus):
            part, to = (gpu - step) % gpus, (gpu + 1) % gpus
            gradients[to][part] += send(part, gpu, to)
    for step in range(gpus - 1):
        for gpu in range(gpus):
            part, to = (gpu + 1 - step) % gpus, (gpu + 1) % gpus
            gradients[to][part] = send(part, gpu, to)


# make data: gradient g has the value g + 1 everywhere, and is in one part or, for the ring, in as many as there are GPUs
gpus = hw.gpus() or 1  # without any, the next lines say so
parts = gpus if way == "ring" else 1
numbers = megabytes * 250000 // parts
gradients = []
for gpu in range(gpus):
    gradients.append([hw.full((numbers,), gpu + 1.0, device="gpu:%d" % gpu) for _ in range(parts)])
hw.waitall()
hw.measure()

# sum
with hw.timed("all-reduce"):
    if way == "ring":
        around()
    elif way == "CPU":
        by_the_cpu()
    else:
        by_the_first()
    hw.waitall()

# check
sums = {part[:1].item() for parts in gradients for part in parts}
print("sums:", *sums)
