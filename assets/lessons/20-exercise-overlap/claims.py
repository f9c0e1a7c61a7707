from checking import claim, needs

LARGEST = {"size": 800, "batches": 40, "ahead": 20}
TABS = ["mxnet", "pytorch"]


def waits_of(run):
    """The waits for a minibatch: for its loss, in PyTorch for its event."""
    return run.waits("wait_to_read") or [wait for wait in run.waits() if wait["name"] == "Event.synchronize"]


def long_minibatches(lesson):
    needs(lesson["size"] >= 400, "a minibatch is done before the next has been issued")


@claim("Let minibatch t finish before minibatch t + 2 begins, while minibatch t + 1 may already be in the queue.",
       devices=["simulated", "cpu"])
def the_order(lesson):
    run = lesson.run(ahead=1)
    batches = [run.ops[i : i + 3] for i in range(0, len(run.ops), 3)]
    assert len(batches) == lesson["batches"]
    for first, third in zip(batches, batches[2:]):
        assert max(op.end_ns for op in first) <= min(op.begin_ns for op in third)
    long_minibatches(lesson)
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    assert any(op.issue_end_ns < max(o.end_ns for o in first)
               for first, second in zip(batches, batches[1:]) for op in second) or lesson["batches"] == 1


@claim("Look at the waits: each one is for the loss of an earlier minibatch, and when it ends the next minibatch is "
       "still in the queue.",
       "So the stream has work all the time, except at the beginning and at the end, and headway is six at most: two "
       "minibatches of three ops.")
def one_ahead(lesson):
    run = lesson.run(ahead=1)
    waits = waits_of(run)
    assert len(waits) == lesson["batches"] - 1
    assert run["headway_max"] <= 6
    long_minibatches(lesson)
    for wait in waits:
        assert run.headway_at(wait["begin_ns"] + wait["ns"]) == 3
    for before, after in zip(run.ops, run.ops[1:]):
        assert after.begin_ns == max(before.end_ns, after.issue_end_ns)
    idle = sum(after.begin_ns - before.end_ns for before, after in zip(run.ops[3:], run.ops[4:]))
    assert idle == 0


@claim("With Minibatches ahead on 0 the stream is idle for a while in every minibatch.")
def none_ahead(lesson):
    run = lesson.run(ahead=0)
    waits = waits_of(run)
    assert len(waits) == lesson["batches"]
    assert all(run.headway_at(wait["begin_ns"] + wait["ns"]) == 0 for wait in waits)


@claim("The barrier policy 1 behind does the same for any program with minibatch marks.")
def the_policy(lesson):
    written, policy = lesson.run(ahead=1), lesson.run("--barrier behind:1", ahead=24)
    assert len(policy.waits("minibatch_barrier")) == len(waits_of(written))
    assert policy["headway_max"] <= 6


@claim("Two rows: a minibatch is done before the next has been issued, and the stream is idle after each one, however "
       "many may be ahead.")
def small(lesson):
    for ahead in (0, 1, 5):
        assert lesson.run(size=2, ahead=ahead)["headway_max"] == 1


@claim("In PyTorch an event stands for the end of a minibatch, and the wait is for this event.")
def an_event(lesson):
    needs(lesson.tab == "", "asked once")
    run, written = lesson.run("--tab pytorch", ahead=1), lesson.run(ahead=1)
    waits = waits_of(run)
    assert len(waits) == len(waits_of(written)) == lesson["batches"] - 1
    batches = [run.ops[i : i + 3] for i in range(0, len(run.ops), 3)]
    for batch, wait in zip(batches, waits):
        assert set(wait["caused_by"]) <= {op.id for op in batch}
        assert all(op.end_ns <= wait["begin_ns"] + wait["ns"] for op in batch)
