import headway as hw

size = 4000000
way = "ring"


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


def by_the_first():
    for part in range(gpus):
        for gpu in range(1, gpus):
            gradients[0][part] += send(part, gpu, 0)
    for part in range(gpus):
        for gpu in range(1, gpus):
            gradients[gpu][part] = send(part, 0, gpu)


# make data: gradient g has the value g + 1 everywhere
gpus = hw.gpus() or 1  # without any, the next lines say so
gradients = []
for gpu in range(gpus):
    device = "gpu:%d" % gpu
    gradients.append([hw.full((max(size // gpus, 1),), gpu + 1.0, device=device) for _ in range(gpus)])
hw.waitall()
hw.measure()

# sum
with hw.timed("all-reduce"):
    if way == "ring":
        around()
    else:
        by_the_first()
    hw.waitall()

# check
sums = {part[:1].item() for parts in gradients for part in parts}
print("sums:", *sums)
