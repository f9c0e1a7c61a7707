"""Random programs in the dialects of Headway, PyTorch and MXNet. Equal seeds give equal programs."""

import random

DIALECTS = ("headway", "pytorch", "mxnet")
HEADS = {
    "headway": "import headway as hw\n",
    "pytorch": "import torch\nfrom headway import minibatch, measure, scope\n",
    "mxnet": "from mxnet import np, npx\nfrom headway import minibatch, measure, scope\n",
}


class Writer:
    def __init__(self, seed, dialect, device):
        self.random = random.Random(f"{dialect} {seed}")
        self.dialect = dialect
        self.on_gpu = ", device='cuda'" if device == "simulated" else ""
        self.two_devices = dialect == "headway" and device == "simulated" and self.random.random() < 0.4
        self.beside = []  # tensors on the CPU in a program with a GPU
        self.side = self.random.choice((4, 32, 96, 300))
        self.names = []
        self.lines = []
        self.depth = 0

    def put(self, line):
        self.lines.append("    " * self.depth + line)

    def pick(self):
        return self.random.choice(self.names)

    def wait_for_all(self):
        return {"headway": "hw.waitall()", "pytorch": "torch.cuda.synchronize()",
                "mxnet": "npx.waitall()"}[self.dialect]

    def made(self):
        n = self.side
        return self.random.choice({
            "headway": (f"hw.randn({n}, {n})", f"hw.ones({n}, {n})", f"hw.uniform(0.0, 1.0, ({n}, {n}))"),
            "pytorch": (f"torch.randn({n}, {n}{self.on_gpu})", f"torch.ones({n}, {n}{self.on_gpu})"),
            "mxnet": (f"np.random.normal(size=({n}, {n}))", f"np.ones(({n}, {n}))"),
        }[self.dialect])

    def product(self, a, b):
        return {"headway": f"{a} @ {b}", "pytorch": f"torch.mm({a}, {b})", "mxnet": f"np.dot({a}, {b})"}[self.dialect]

    def new(self, expression):
        name = self.random.choice(self.names) if len(self.names) > 5 else f"t{len(self.names)}"
        if name not in self.names:
            self.names.append(name)
        self.put(f"{name} = {expression}")

    def look(self):
        name = self.pick()
        blockers = {"headway": (f"{name}.sum().item()", f"{name}.numpy()", f"float({name}.mean())"),
                    "pytorch": (f"{name}.sum().item()", f"{name}.cpu()", f"float({name}.mean())"),
                    "mxnet": (f"{name}.sum().item()", f"{name}.asnumpy()", f"float({name}.mean())")}[self.dialect]
        barriers = {"headway": (f"{name}.wait_to_read()",), "pytorch": (), "mxnet": (f"{name}.wait_to_read()",)}
        self.put(self.random.choice((*blockers, *barriers[self.dialect], f"print({name}.mean())", self.wait_for_all())))

    def step_beside(self):
        """Ops on the CPU in a program with a GPU, or copies between the two."""
        if not self.beside or self.random.random() < 0.3:
            self.beside.append(f"c{len(self.beside)}")
            made = f"hw.randn({self.side}, {self.side}, device='cpu')"
            self.put(f"{self.beside[-1]} = " + (made if self.random.random() < 0.5 else f"{self.pick()}.to('cpu')"))
            return
        a, b = self.random.choice(self.beside), self.random.choice(self.beside)
        self.put(self.random.choice((f"{a} = {a} @ {b}", f"{a} += {b}", f"{a} = {b} * 0.5", f"{a}.sum().item()",
                                     f"{self.pick()} += {a}.to('gpu')", f"{self.pick()} = {a}.to('gpu')",
                                     "hw.waitall('cpu')", "hw.waitall('gpu')")))

    def step(self):
        roll = self.random.random()
        if self.two_devices and self.random.random() < 0.3:
            self.step_beside()
        elif roll < 0.2:
            self.new(self.made())
        elif roll < 0.45:
            a, b = self.pick(), self.pick()
            self.new(self.random.choice((f"{a} + {b}", f"{a} * {b}", f"{a} - {b}", f"{a} * 0.5", f"{a} + 1.0")))
        elif roll < 0.65:
            self.new(self.product(self.pick(), self.pick()))
        elif roll < 0.85:
            a, b = self.pick(), self.pick()
            self.put(self.random.choice((f"{a} += {b}", f"{a} *= 0.5", f"{a} -= {b}", f"{a}[0:2] = {b}[1:3]")))
        elif roll < 0.93:
            self.look()
        elif len(self.names) > 2:
            name = self.names.pop(self.random.randrange(len(self.names)))
            self.put(f"del {name}")

    def block(self, head, steps):
        self.put(head)
        self.depth += 1
        self.put("pass")
        for _ in range(steps):
            self.step()
        self.depth -= 1

    def text(self):
        own = "hw." if self.dialect == "headway" else ""
        self.new(self.made())
        self.new(self.made())
        if self.random.random() < 0.5:
            if self.random.random() < 0.7:
                self.put(self.wait_for_all())
            self.put(f"{own}measure()")
        for part in range(self.random.randint(2, 6)):
            kind = self.random.random()
            if kind < 0.5:
                self.block(f"with {own}minibatch():", self.random.randint(1, 10))
            elif kind < 0.7:
                self.block(f"with {own}scope('part {part}'):", self.random.randint(1, 8))
            else:
                for _ in range(self.random.randint(1, 8)):
                    self.step()
            if part == 1 and self.random.random() < 0.05:
                self.put("raise ValueError('on purpose')")
        if self.random.random() < 0.6:
            self.put(self.wait_for_all())
        return HEADS[self.dialect] + "\n" + "\n".join(self.lines) + "\n"


class StreamsWriter:
    """A PyTorch program on 1 to 3 GPUs that makes streams and orders them itself, or forgets to."""

    def __init__(self, seed):
        self.random = random.Random(f"streams {seed}")
        self.gpus = self.random.randint(1, 3)
        self.streams = self.random.randint(2, 4)
        self.lines, self.tensors, self.events, self.made = [], [], [], 0

    def put(self, line):
        self.lines.append(line)

    def stream(self):
        return f"s[{self.random.randrange(self.gpus)}][{self.random.randrange(self.streams)}]"

    def new_name(self, gpu):
        self.made += 1
        self.tensors.append((f"t{self.made}", gpu))
        return self.tensors[-1][0]

    def tensor(self, gpu):
        """One of the GPU's tensors; makes the first."""
        own = [name for name, where in self.tensors if where == gpu]
        if not own or self.random.random() < 0.15:
            own = [self.new_name(gpu)]
            self.put(f"{own[0]} = torch.ones(8, 8, device='cuda:{gpu}')")
        return self.random.choice(own)

    def op(self):
        gpu = self.random.randrange(self.gpus)
        a, b = self.tensor(gpu), self.tensor(gpu)
        return self.random.choice((f"{a} += {b}", f"{a} = {a} @ {b}", f"{a} = {b} * 0.5"))

    def copy(self):
        source, to = self.random.randrange(self.gpus), self.random.randrange(self.gpus)
        name = self.tensor(source)
        if self.random.random() < 0.2:
            return f"{name}.to('cpu', non_blocking=True)"
        return f"{self.new_name(to)} = {name}.to('cuda:{to}', non_blocking=True)"

    def order(self):
        roll = self.random.random()
        if roll < 0.4:
            return f"{self.stream()}.wait_stream({self.stream()})"
        if roll < 0.6 or not self.events:
            self.events.append(f"e{len(self.events)}")
            return f"{self.events[-1]} = {self.stream()}.record_event()"
        event = self.random.choice(self.events)
        if roll < 0.85:
            return f"{self.stream()}.wait_event({event})"
        return self.random.choice((f"{event}.synchronize()", f"{event}.query()", f"{self.stream()}.synchronize()",
                                   f"{self.stream()}.query()", f"torch.cuda.synchronize({self.random.randrange(self.gpus)})"))

    def text(self):
        self.put(f"s = [[torch.cuda.default_stream(g)] + [torch.cuda.Stream(f'cuda:{{g}}') for _ in range("
                 f"{self.streams - 1})] for g in range({self.gpus})]")
        for _ in range(self.random.randint(10, 60)):
            roll = self.random.random()
            if roll < 0.3:
                self.put(f"torch.cuda.set_stream({self.stream()})")
            elif roll < 0.6:
                self.put(self.op())
            elif roll < 0.72:
                self.put(self.copy())
            elif roll < 0.97:
                self.put(self.order())
            elif len(self.tensors) > 2:
                self.put(f"del {self.tensors.pop(self.random.randrange(len(self.tensors)))[0]}")
        return "import torch\n" + "\n".join(self.lines) + "\ntorch.cuda.synchronize()\n"


def streams_program(seed):
    """(text, options) of a random program that orders its streams itself; half of them race."""
    writer = StreamsWriter(seed)
    text = writer.text()
    options = ["--device", "simulated", "--gpus", str(writer.gpus), "--streams", str(writer.streams),
               "--barrier", writer.random.choice(("none", "none", "none", "op")),
               "--free-policy", writer.random.choice(("stream", "finish"))]
    if writer.gpus > 1:
        options += ["--links", writer.random.choice(("pcie", "pairs", "ring"))]
        if writer.random.random() < 0.5:
            options += ["--gpu-speeds", ",".join(str(writer.random.choice((0.25, 1, 1.5))) for _ in range(writer.gpus))]
    return text, options


def program(seed):
    """(text, options, dialect) of one random program; one in eight runs on the CPU, some fail or run out of memory."""
    choice = random.Random(f"options {seed}")
    dialect = DIALECTS[seed % len(DIALECTS)]
    barriers = ("none", "none", "op", "minibatch", "behind:1", "behind:2")
    options = ["--seed", str(seed), "--barrier", choice.choice(barriers)]
    device = "cpu" if choice.random() < 0.125 else "simulated"
    if device == "cpu":
        options += ["--device", "cpu"] + (["--workers", str(choice.randint(1, 3))] if choice.random() < 0.7 else [])
    else:
        options += ["--device", "simulated", "--streams", str(choice.randint(1, 4))]
        if choice.random() < 0.2:
            options += ["--costs", choice.choice(("t1=1us,t2=0.95us,t3=1us", "t1=0us,t2=3us,t3=0us", "t1=20us"))]
    options += ["--free-policy", choice.choice(("finish", "stream", "lazy"))]
    if choice.random() < 0.2:
        options += ["--queue-limit", str(choice.choice((1, 2, 5, 20)))]
    if choice.random() < 0.2:
        options += ["--issue", "graph"]
    writer = Writer(seed, dialect, device)
    if choice.random() < 0.1:
        options += ["--budget", str(choice.choice((3, 6, 10)) * 4 * writer.side ** 2)]
    elif choice.random() < 0.1:
        options += ["--repeat", "3"]
    return writer.text(), options, dialect
