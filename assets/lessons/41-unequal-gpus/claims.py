from checking import claim, needs

LARGEST = {"batch": 4000, "steps": 8}


def gpu_of(op):
    return op.lane - 100  # one stream each, in the trace from row 100 on


def named(run, name, gpu=None):
    return [op for op in run.ops if op.name == name and gpu in (None, gpu_of(op))]


def taken(ops):
    return sum(op.end_ns - op.begin_ns for op in ops)


def rows(lesson, gpu, share):
    first = lesson["batch"] * share // 100
    return lesson["batch"] - first if gpu else first


def product(lesson, of_rows, speed):
    return round((3_000 + 2 * of_rows * lesson["size"] ** 2 / 15_000) / speed)


def long_products(lesson):
    needs(lesson["batch"] * lesson["size"] ** 2 >= 400_000_000, "of small products the latencies count")


@claim("Two GPUs have the same layer, and each one computes on its part of every minibatch: a product for the outputs, and one for "
       "the gradient.",
       "They send each other the gradients over NVLink, and both add the sum of the two to their weights.",
       "GPU 1 is an older one: it takes four times as long as GPU 0 for each op.")
def the_program(lesson):
    run = lesson.run()
    assert run.out.splitlines()[-1] == "the same weights: True"
    for gpu, speed in ((0, 1), (1, 0.25)):
        own = named(run, "matmul", gpu)
        assert len(own) == 2 * lesson["steps"] and len(named(run, "copy_to_device", gpu)) == lesson["steps"]
        assert {op.end_ns - op.begin_ns for op in own} == {product(lesson, rows(lesson, gpu, lesson["share"]), speed)}
    copies = {link["name"]: link["copies"] for link in run["links"]}
    assert copies["NVLink 0 → 1"] == copies["NVLink 1 → 0"] == lesson["steps"] and copies["PCIe to the GPUs"] == 0
    assert [device["speed"] for device in run["devices"]] == [1, 0.25]


@claim("A step ends when both gradients are there, so it takes as long as the slower part.")
def as_long_as_the_slower_part(lesson):
    run = lesson.run()
    copies = named(run, "copy_to_device")
    gradients = [op for op in named(run, "matmul") if any(op.id in copy.reads for copy in copies)]
    assert len(gradients) == 2 * lesson["steps"]
    for step in range(lesson["steps"]):
        ready = max(op.end_ns for op in gradients[2 * step:2 * step + 2])
        last = copies[2 * step:2 * step + 2]
        assert max(op.begin_ns for op in last) >= ready
        assert min(op.end_ns for op in named(run, "add")[2 * step:2 * step + 2]) > ready
    slower = max(taken(named(run, "matmul", gpu)) for gpu in (0, 1))
    long_products(lesson)
    assert slower < run.scope("training") < 1.25 * slower + lesson["steps"] * 120_000


@claim("With equal halves GPU 0 waits for GPU 1 in each step, and the two need more time than GPU 0 would need alone.",
       "Look at the streams with a share of 50, then with 80.")
def halves(lesson):
    long_products(lesson)
    run = lesson.run(share=50)
    for ours, theirs in zip(named(run, "matmul", 0)[1::2], named(run, "matmul", 1)[1::2]):
        assert ours.end_ns < theirs.end_ns
        following = min(op.begin_ns for op in run.ops if gpu_of(op) == 0 and op.begin_ns >= ours.end_ns)
        assert following >= theirs.end_ns  # its next op is the copy of the other gradient
    alone = 2 * lesson["steps"] * product(lesson, lesson["batch"], 1)
    assert run.scope("training") > 1.5 * alone


@claim("With parts in proportion to the speeds, 80 and 20 percent, both compute for about the same time, and a step takes about "
       "half as long.")
def in_proportion(lesson):
    needs(lesson["batch"] * lesson["size"] ** 2 >= 700_000_000, "of small products the latencies count")
    run = lesson.run(share=80)
    first, second = (taken(named(run, "matmul", gpu)) for gpu in (0, 1))
    assert 0.75 < first / second < 1.25
    halves = lesson.run(share=50)
    assert second < 0.5 * taken(named(halves, "matmul", 1))
    assert 0.4 < run.scope("training") / halves.scope("training") < 0.6


@claim("Which GPU waits now?")
def the_slow_one_waits(lesson):
    long_products(lesson)
    run = lesson.run(share=95)
    assert taken(named(run, "matmul", 0)) > 1.5 * taken(named(run, "matmul", 1))


@claim("On CPU there is no GPU, and the program says so.", devices=["cpu"])
def no_gpu(lesson):
    run = lesson.run(fails=True)
    assert run.status != 0 and run["error"]["line"] > 0
