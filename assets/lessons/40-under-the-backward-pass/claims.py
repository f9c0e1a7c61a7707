from checking import claim, needs

LARGEST = {"batch": 4000}
ISSUES = 60_000  # ns: the issue of the first and last ops, and the returns of the waits


def named(run, name):
    return [op for op in run.ops if op.name == name]


def taken(op):
    return op.end_ns - op.begin_ns


def busy(ops):
    """The time in ns in which one of them runs."""
    total, until = 0, 0
    for op in sorted(ops, key=lambda op: op.begin_ns):
        total += max(op.end_ns - max(op.begin_ns, until), 0)
        until = max(until, op.end_ns)
    return total


def on_bus(lesson):
    return round(10_000 + 4 * lesson["size"] ** 2 / 12.5)


def product(lesson):
    return round(3_000 + 2 * lesson["batch"] * lesson["size"] ** 2 / 15_000)


def products(lesson):
    return (2 * lesson["layers"] - 1) * product(lesson)


def as_in_the_text(lesson):
    needs((lesson["layers"], lesson["batch"], lesson["size"]) == (6, 3000, 500), "the text's numbers are those of its settings")


def products_take_longer(lesson):
    needs(product(lesson) > on_bus(lesson) + 5_000, "the copies of a layer take longer than its products")


@claim("Two GPUs have the same network, and each one computes on its own half of a minibatch.",
       "Each GPU sends its gradients to the other one, over the one bus, and adds those that it gets.",
       "In PyTorch's words: the products are in the default stream of each GPU, and the copies and sums in another one, which waits "
       "for the default stream before each layer's copies.")
def the_program(lesson):
    for when in ("during", "afterwards"):
        run = lesson.run(when=when)
        assert run.out.splitlines()[-1] == "the same sums: True" and run["races"] == []
        copies, sums = named(run, "copy_to_device"), named(run, "add")
        assert len(named(run, "matmul")) == 2 * (2 * lesson["layers"] - 1)
        assert len(copies) == len(sums) == 2 * lesson["layers"]
        computing, sending = {op.lane for op in named(run, "matmul")}, {op.lane for op in copies}
        assert len(computing) == len(sending) == 2 and not computing & sending and {op.lane for op in sums} == sending
        in_order = sorted(copies, key=lambda op: op.begin_ns)
        assert all(first.end_ns <= second.begin_ns for first, second in zip(in_order, in_order[1:]))


@claim("The gradient of a layer is not changed by the rest of the backward pass, so it can be sent meanwhile.")
def sent_at_once(lesson):
    run = lesson.run(when="during")
    copies = named(run, "copy_to_device")
    for op in copies:
        (gradient,) = [other for other in run.ops if other.id in op.reads]
        assert gradient.name == "matmul" and gradient.end_ns <= op.begin_ns
    products_take_longer(lesson)
    last = max(op.end_ns for op in named(run, "matmul"))
    assert sum(op.end_ns < last for op in copies) == 2 * (lesson["layers"] - 1)


@claim("With during only the copies of the first layer add to the time of the products: its gradient comes last.")
def one_layer_s_copies(lesson):
    products_take_longer(lesson)
    parts = products(lesson) + 2 * on_bus(lesson)
    assert parts < lesson.run(when="during").scope("backward pass") < parts + ISSUES


@claim("With afterwards the copies of all layers add to it.",
       "A wait of one stream for another covers what was issued before it, and nothing else.")
def all_copies(lesson):
    run = lesson.run(when="afterwards")
    copies = named(run, "copy_to_device")
    assert min(op.begin_ns for op in copies) >= max(op.end_ns for op in named(run, "matmul"))
    sums = lesson["layers"] * 2 * max(map(taken, named(run, "add")))
    parts = products(lesson) + 2 * lesson["layers"] * on_bus(lesson)
    assert parts < run.scope("backward pass") < parts + sums + ISSUES


@claim("Look at the streams and the rows of the bus below them.",
       "Either way, the products take 1.1 ms and the copies 1.08 ms.",
       "With during the total is 1.35 ms, and with afterwards 2.26 ms.")
def the_totals(lesson):
    during, afterwards = lesson.run(when="during"), lesson.run(when="afterwards")
    for run in (during, afterwards):
        bus = next(link for link in run["links"] if link["name"] == "PCIe to the GPUs")
        assert bus["copies"] == 2 * lesson["layers"]
        assert bus["busy_ns"] == busy(named(run, "copy_to_device")) == 2 * lesson["layers"] * on_bus(lesson)
    as_in_the_text(lesson)
    assert busy(named(during, "copy_to_device")) == 1_080_000
    assert all(round(busy(named(run, "matmul")) / 1e6, 1) == 1.1 for run in (during, afterwards))
    assert round(during.scope("backward pass") / 1e6, 2) == 1.35
    assert round(afterwards.scope("backward pass") / 1e6, 2) == 2.26


@claim("Which is the slower side now, the products or the bus?")
def the_bus_is_slower(lesson):
    run = lesson.run(when="during", batch=1000)
    needs(lesson["size"] >= 200, "of small copies the latencies count")
    copies = 2 * lesson["layers"] * on_bus(lesson)
    assert busy(named(run, "matmul")) < 0.6 * copies < run.scope("backward pass")


@claim("On CPU there is no GPU, and the program says so.", devices=["cpu"])
def no_gpu(lesson):
    run = lesson.run(fails=True)
    assert run.status != 0 and run["error"]["line"] > 0
