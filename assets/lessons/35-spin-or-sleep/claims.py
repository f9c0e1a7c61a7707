from checking import claim, needs

LARGEST = {"products": 20, "size": 1500}
LINE_NS = 100  # of Python


def end_of(run):
    """When the frontend knows that the products are done."""
    return run.scope_end("until it is done")


def long_products(lesson):
    needs(lesson["size"] >= 1000, "small products are done before the frontend asks")


@claim("In PyTorch's words: a chain of products is issued, and an event is recorded after it.",
       "`done.query()` says at once whether all that was issued before the event is done; `done.synchronize()` waits for it.")
def an_event(lesson):
    for wait in ("spin", "sleep"):
        run = lesson.run(wait=wait)
        assert [op.name for op in run.ops] == ["matmul"] * lesson["products"]
        assert all(before.id in after.reads for before, after in zip(run.ops, run.ops[1:]))
        assert all(op.end_ns <= end_of(run) for op in run.ops)


@claim("A loop that asks `done.query()` waits for nothing, and yet the program gets no further: the frontend runs the lines of "
       "the loop all the time, on a core that others could use.",
       "With Wait on spin it is Python from the last issue to the end, and no wait; the program prints how often it asked in "
       "vain.")
def the_loop(lesson):
    run = lesson.run(wait="spin")
    assert run.waits() == []
    after_issue = run.begin_ns + run["total_ns"] - run.ops[-1].issue_end_ns
    assert run["issue_ns"] + run["frontend"]["work_ns"] == run["total_ns"]
    asked = int(run.out.splitlines()[-1].split()[1])
    long_products(lesson)
    assert asked > 100
    assert 2 * LINE_NS * asked <= after_issue


@claim("With `done.synchronize()` the frontend runs no line until the products are done.", "With sleep there is one wait instead.")
def the_wait(lesson):
    run = lesson.run(wait="sleep")
    (wait,) = run.waits()
    assert wait["name"] == "Event.synchronize"
    assert run.ops[-1].end_ns <= wait["begin_ns"] + wait["ns"]
    assert run["issue_ns"] + run["frontend"]["work_ns"] + wait["ns"] == run["total_ns"]
    assert run["frontend"]["work_ns"] < 20_000 + 1000 * lesson["products"]  # a few lines, and the prints
    long_products(lesson)
    assert wait["caused_by_count"] > 0
    assert run["frontend"]["work_ns"] < 0.2 * lesson.run(wait="spin")["frontend"]["work_ns"]


@claim("In return the loop notices the end sooner: one round later at most, while the wait needs t₃ to return.")
def sooner(lesson):
    long_products(lesson)
    spin, sleep = lesson.run(wait="spin"), lesson.run(wait="sleep")
    assert 0 <= end_of(spin) - spin.ops[-1].end_ns <= 3 * LINE_NS  # a round has two lines; the bracket ends in the next
    assert sleep["t3_ns"] <= end_of(sleep) - sleep.ops[-1].end_ns <= sleep["t3_ns"] + LINE_NS
    assert spin["total_ns"] < sleep["total_ns"]


@claim("Look at the frontend's row.", "The stream executes the same ops in the same time.")
def the_same_ops(lesson):
    spin, sleep = lesson.run(wait="spin"), lesson.run(wait="sleep")
    times = [[(op.name, op.begin_ns - run.begin_ns, op.end_ns - run.begin_ns) for op in run.ops] for run in (spin, sleep)]
    assert times[0] == times[1]


@claim("How much more often does the loop ask?")
def more_products(lesson):
    needs(lesson["products"] == 4 and lesson["size"] >= 1000, "asked once")
    four, eight = (int(lesson.run(wait="spin", products=n).out.splitlines()[-1].split()[1]) for n in (4, 8))
    assert 1.9 < eight / four < 2.2


@claim("On CPU there is no GPU to wait for, and the program says so.", devices=["cpu"])
def no_gpu(lesson):
    run = lesson.run(fails=True)
    assert run.status == 3
    assert "gpu" in run.err.lower() and run["error"]["line"] > 0
