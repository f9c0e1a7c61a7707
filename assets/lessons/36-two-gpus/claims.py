from checking import claim, needs

LARGEST = {"products": 100, "size": 800, "copies": 20}
TABS = ["mxnet", "pytorch"]
BUS = "PCIe to the host"


def gpu_of(op):
    return op.lane  # one stream each


def within(run, name):
    end = run.scope_end(name)
    return [op for op in run.ops if end - run.scope(name) <= op.issue_begin_ns < end]


def long_products(lesson):
    needs(lesson["size"] >= 300, "small products are done before the next one is issued")
    needs(lesson["products"] > 2, "the issue of few products takes as long as they do")


def spent(ops):
    return sum(op.end_ns - op.begin_ns for op in ops)


@claim("Each of two GPUs computes a chain of products: first one GPU alone, then both, one chain issued after the other.",
       "The two chains do not need each other, and each GPU has lanes of its own.")
def two_chains(lesson):
    run = lesson.run()
    alone, both = within(run, "one computes"), within(run, "both compute")
    assert {op.name for op in alone + both} == {"matmul"}
    assert len(alone) == lesson["products"] and len(both) == 2 * lesson["products"]
    assert len({gpu_of(op) for op in alone}) == 1 and len({gpu_of(op) for op in both}) == 2
    ids = {gpu: {op.id for op in both if gpu_of(op) == gpu} for gpu in map(gpu_of, both)}
    for op in both:
        assert not any(op.reads & own for gpu, own in ids.items() if gpu != gpu_of(op))


@claim("So both together take less time than one after the other: that of one chain, and the issuing of the other.")
def less_than_the_sum(lesson):
    long_products(lesson)
    run = lesson.run()
    one, both = run.scope("one computes"), run.scope("both compute")
    issues = sum(op.issue_end_ns - op.issue_begin_ns for op in within(run, "both compute")[:lesson["products"]])
    assert both < 1.75 * one
    assert one < both < one + 1.5 * issues + 20_000


@claim("The copies do not gain that way.",
       "All of them go over one bus, which carries one copy at a time, so the copies of both take twice the time of those of "
       "one.")
def one_bus(lesson):
    run = lesson.run()
    alone, both = within(run, "one copies"), within(run, "both copy")
    assert {op.name for op in alone + both} == {"copy_to_host"}
    assert len(both) == 2 * len(alone) == 2 * lesson["copies"]
    in_order = sorted(alone + both, key=lambda op: op.begin_ns)
    assert all(first.end_ns <= second.begin_ns for first, second in zip(in_order, in_order[1:]))
    bus = next(link for link in run["links"] if link["name"] == BUS)
    assert bus["copies"] == 3 * lesson["copies"] and bus["busy_ns"] == spent(alone + both)
    needs(lesson["size"] >= 300, "small copies are done before the next one is issued")
    needs(lesson["copies"] > 1, "issue and return are a part of the time of few copies")
    assert 1.85 < run.scope("both copy") / run.scope("one copies") < 2.1


@claim("Look at the rows of the two GPUs while both compute, and then at the row PCIe to the host below them: it has no gap "
       "while both copy, and the streams have.")
def no_gap_on_the_bus(lesson):
    needs(lesson["size"] >= 300, "small copies are done before the next one is issued")
    copies = sorted(within(lesson.run(), "both copy"), key=lambda op: op.begin_ns)
    assert all(first.end_ns == second.begin_ns for first, second in zip(copies, copies[1:]))
    for gpu in {gpu_of(op) for op in copies}:
        own = [op for op in copies if gpu_of(op) == gpu]
        needs(len(own) > 1, "a gap is between two copies")
    assert len({gpu_of(op) for op in copies}) == 2


@claim("The report and the cards of such gaps say that a lane waited for a link.")
def the_report_says_so(lesson):
    needs(lesson["size"] >= 300, "small copies are done before the next one is issued")
    assert lesson.run()["idle"]["link_ns"] > 0


@claim("The numbers of the bus are round numbers, not measured ones: 10 µs for each copy, and 12.5 GB/s.")
def the_bus(lesson):
    for op in within(lesson.run(), "one copies"):
        assert op.end_ns - op.begin_ns == round(10_000 + lesson["size"] ** 2 * 4 / 12.5)


@claim("On CPU there is no GPU, and the program says so.", devices=["cpu"])
def no_gpu(lesson):
    run = lesson.run(fails=True)
    assert run.status == 3
    assert "gpu" in run.err.lower() and run["error"]["line"] > 0
