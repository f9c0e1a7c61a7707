from checking import claim, needs, waits_for_each_op

LARGEST = {"size": 700, "before": 20, "after": 40}
TABS = ["mxnet", "pytorch"]


def waits_of(run):
    """The wait for a product inside the chain, the one between the stretches, and the last one."""
    return run.waits("wait_to_read", "waitall", "synchronize")


def halves(run):
    """The ops of the first chain and of the second."""
    half = len(run.ops) // 2
    return run.ops[:half], run.ops[half:]


@claim("After a warm-up a chain of products is issued twice; each product needs the one before.")
def a_chain(lesson):
    run = lesson.run()
    assert run["warmup_ns"] > 0
    for chain in halves(run):
        assert len(chain) == lesson["before"] + lesson["after"]
        assert all(before.id in after.reads for before, after in zip(chain, chain[1:]))


@claim("The first time the program waits with `wait_to_read` for a product inside the chain, the second time with `waitall` for "
       "all of them.",
       "Look at the stretches wait_to_read and waitall.")
def the_waits(lesson):
    run = lesson.run()
    if lesson.tab == "pytorch":
        assert [w["name"].split(".")[0] for w in waits_of(run)] == ["Event", "torch", "torch"]
    else:
        assert [w["kind"] for w in run.waits()] == ["wait_to_read", "waitall", "waitall"]
        assert [s["name"] for s in run["scopes"]] == ["wait_to_read", "waitall"]


@claim("The first one ends as soon as the first three of the nine products are done, and does not wait for the other six: a "
       "`waitall` between the stretches does.")
def the_first_one(lesson):
    run = lesson.run()
    one, between, _ = waits_of(run)
    first, _ = halves(run)
    needed, rest = first[: lesson["before"]], first[lesson["before"]:]
    end = one["begin_ns"] + one["ns"]
    assert all(op.end_ns <= end for op in needed)
    assert set(one["caused_by"]) <= {op.id for op in needed}
    assert all(op.end_ns <= between["begin_ns"] + between["ns"] for op in rest)
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    needs(rest and needed and lesson["size"] >= 300, "the others are soon done")
    assert run.headway_at(end) > 0
    assert set(between["caused_by"]) <= {op.id for op in rest}


@claim("The second one ends when all nine are done.")
def the_second_one(lesson):
    run = lesson.run()
    _, _, everything = waits_of(run)
    assert run.headway_at(everything["begin_ns"] + everything["ns"]) == 0


@claim("As long as products take far longer than their issue, the first stretch takes about a third of the second.")
def a_third(lesson):
    needs((lesson["before"], lesson["after"]) == (3, 6), "other numbers of products, another share")
    size = max(lesson["size"], 1000) if lesson.exact else lesson["size"]
    needs(size >= 300, "small products do not")
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    share = lesson.median(lambda run: run["scopes"][0]["ns"] / run["scopes"][1]["ns"], size=size)
    assert (0.32 < share < 0.37) if lesson.exact else (0.15 < share < 0.65)


@claim("PyTorch has no wait for one tensor; its tab records an event after the first three products, and waits for this event.")
def an_event(lesson):
    needs(lesson.tab == "", "asked once")
    run = lesson.run("--tab pytorch --device simulated", before=3)
    event = run.waits("synchronize")[0]
    assert event["name"] == "Event.synchronize"
    assert set(event["caused_by"]) <= {op.id for op in run.ops[:3]}
    assert all(op.end_ns <= event["begin_ns"] + event["ns"] for op in run.ops[:3])


@claim("PyTorch (tab PyTorch) waits for each op on the CPU; on SIMULATED it does not.")
def pytorch_on_the_cpu(lesson):
    needs(lesson.tab == "", "asked once")
    assert waits_for_each_op(lesson, "pytorch")
