from checking import claim, needs

LARGEST = {"steps": 12}
TABS = ["mxnet"]
OPS = 18  # of a step
WAITS = ("nothing", "loss", "last layer", "first layer")


def steps_of(run, lesson):
    """The ops of each step."""
    assert len(run.ops) == OPS * lesson["steps"]
    return [run.ops[i : i + OPS] for i in range(0, len(run.ops), OPS)]


def updates(ops):
    """The update of the first layer's weights and of the last layer's, in the order of issue."""
    found = [op for op in ops if op.name == "add_scaled_"]
    assert found == ops[-2:]
    return found


def large(lesson):
    needs(lesson["hidden"] >= 1024, "small layers are done before the next op is issued")


def end_of(wait):
    return wait["begin_ns"] + wait["ns"]


@claim("Every step issues the update of the first layer's weights, and then that of the last layer's.",
       "Then the frontend waits for one of them, for the loss, or for nothing.")
def the_program(lesson):
    for wait_for in WAITS:
        run = lesson.run(wait_for=wait_for)
        for ops in steps_of(run, lesson):
            first, last = updates(ops)
            assert first.line == last.line and first.issue_end_ns <= last.issue_begin_ns
        assert len(run.waits("wait_to_read")) == (0 if wait_for == "nothing" else lesson["steps"])


@claim("An update needs its own gradient only, and the backward pass comes to the last layer first.",
       "So the last layer's update is done first, although it was issued second.")
def the_last_layer_first(lesson):
    large(lesson)
    for wait_for in WAITS:
        for ops in steps_of(lesson.run(wait_for=wait_for), lesson):
            first, last = updates(ops)
            assert not {first.id, last.id} & (first.reads | last.reads)
            of_first = next(op for op in reversed(ops) if op.name == "matmul")
            of_last = [op for op in ops if op.name == "matmul" and op.id in last.reads]
            assert of_first.id in first.reads and len(of_last) == 1 and of_last[0].id < of_first.id
            assert last.end_ns < of_first.end_ns <= first.begin_ns


@claim("A wait for weights lasts until their update is done.",
       "For the last layer it returns while the first layer's gradient is still being computed; for the first layer "
       "it returns when nothing of the step is left.")
def what_the_wait_covers(lesson):
    for wait_for, index in (("first layer", 0), ("last layer", 1)):
        run = lesson.run(wait_for=wait_for)
        for ops, wait in zip(steps_of(run, lesson), run.waits("wait_to_read")):
            assert updates(ops)[index].end_ns <= end_of(wait)
            assert index == 1 or all(op.end_ns <= end_of(wait) for op in ops)
    large(lesson)
    run = lesson.run(wait_for="last layer")
    for ops, wait in zip(steps_of(run, lesson), run.waits("wait_to_read")):
        gradient = next(op for op in reversed(ops) if op.name == "matmul")
        assert end_of(wait) < gradient.end_ns


@claim("Look at the two add_scaled_ of a step on the streams, and at the next step's first product: it never begins before the "
       "first layer's update is done, whatever the frontend waits for.",
       "The backend keeps the order of updates and readers by itself, and the loss at the end is the same with each "
       "choice.")
def order_without_waits(lesson):
    runs = [lesson.run(wait_for=wait_for) for wait_for in WAITS]
    assert len({run.out for run in runs}) == 1
    for wait_for, run in zip(WAITS, runs):
        steps = steps_of(run, lesson)
        for before, after in zip(steps, steps[1:]):
            update, product = updates(before)[0], after[0]
            assert product.name == "matmul" and update.id in product.reads
            assert update.end_ns <= product.begin_ns
            if lesson["hidden"] >= 1024 and wait_for != "first layer":
                assert update.end_ns == product.begin_ns
        for ops in steps:  # an update overwrites weights that the step's own ops have read
            for update in updates(ops):
                assert all(op.end_ns <= update.begin_ns for op in ops if op.reads & update.reads and op is not update)


@claim("Which update is done first now, and when does the wait return?")
def one_stream(lesson):
    run = lesson.run("--streams 1", wait_for="last layer")
    for ops, wait in zip(steps_of(run, lesson), run.waits("wait_to_read")):
        first, last = updates(ops)
        assert first.end_ns <= last.begin_ns
        assert all(op.end_ns <= end_of(wait) for op in ops)
