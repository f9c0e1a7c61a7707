from checking import claim, needs

LARGEST = {"batches": 20, "hidden": 2048}
TABS = ["pytorch"]
OPS = 29  # of a minibatch


def minibatches(run, lesson):
    """For each minibatch its ops, and the last wait in it."""
    needs(lesson.tab == "", "PyTorch waits for everything")
    waits = run.waits()
    assert len(run.ops) == OPS * lesson["batches"]
    return [(run.ops[OPS * i : OPS * (i + 1)], waits[i]) for i in range(lesson["batches"])]


def needed(op, ops):
    """The numbers of what this op needs, within these ops."""
    by_number, found, todo = {o.id: o for o in ops}, set(), [op.id]
    while todo:
        number = todo.pop()
        if number in by_number and number not in found:
            found.add(number)
            todo += by_number[number].reads
    return found


@claim("A barrier on the loss waits for the forward pass only.",
       "Backward and update come after the loss in the graph, so they may still be running when the wait returns.",
       "Look at the end of each wait_to_read: ops of the same minibatch still run or wait on the streams below.",
       "In the graph, everything right of the loss is what the barrier left out.")
def the_rest_goes_on(lesson):
    run = lesson.run(wait_for="loss")
    for ops, wait in minibatches(run, lesson):
        assert wait["kind"] == "wait_to_read"
        loss = max((op for op in ops if op.id in set(wait["caused_by"])), key=lambda op: op.id, default=None)
        needs(loss is not None, "small layers are done before the wait")
        end = wait["begin_ns"] + wait["ns"]
        forward = needed(loss, ops)
        assert all(op.end_ns <= end for op in ops if op.id in forward)
        assert not forward & {op.id for op in ops if op.id > loss.id}
        needs(lesson["hidden"] >= 1024, "small layers are soon done")
        assert any(op.end_ns > end for op in ops if op.id > loss.id)


@claim("That is enough to keep frontend and backend together. It is not enough to measure a whole step: a stopwatch "
       "that is stopped then misses the ops that still run.")
def together(lesson):
    run = lesson.run(wait_for="loss")
    assert run["headway_max"] < 2 * OPS
    needs(lesson.tab == "", "PyTorch waits for everything")
    needs(lesson["hidden"] >= 1024, "small layers are soon done")
    assert run.waits("waitall")[-1]["caused_by_count"] > 0  # of the last minibatch, after its wait


@claim("With Wait for on all none does, and headway falls to zero.")
def all_is_done(lesson):
    run = lesson.run(wait_for="all")
    assert len(run.waits("waitall", "synchronize")) == lesson["batches"] + 1
    for wait in run.waits("waitall", "synchronize"):
        assert run.headway_at(wait["begin_ns"] + wait["ns"]) == 0


@claim("In PyTorch (tab PyTorch) the loss is read by a copy in the one stream, and this copy comes after backward and update: "
       "nothing is left when the wait returns.")
def pytorch_reads_in_the_stream(lesson):
    needs(lesson.tab == "", "asked once")
    run = lesson.run("--tab pytorch", wait_for="loss")
    waits = run.waits("item")
    copies = [op for op in run.ops if op.name == "copy_to_host"]
    assert len(waits) == len(copies) == lesson["batches"] and run.lanes_used() == 1
    for copy, wait in zip(copies, waits):
        assert all(op.end_ns <= copy.begin_ns for op in run.ops if op.id < copy.id)
        assert copy.end_ns <= wait["begin_ns"] + wait["ns"]
        assert run.headway_at(wait["begin_ns"] + wait["ns"]) == 0
