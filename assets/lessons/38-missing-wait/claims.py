from checking import claim, needs

LARGEST = {"products": 20, "size": 1500}


def ops_of(run, lesson):
    """The ops of the measured part: the products and the sums, and the mean in the other stream."""
    count = 2 * lesson["products"] + 1
    return run.ops[: count - 1], run.ops[count - 1]


def long_products(lesson):
    needs(lesson["size"] >= 400, "small products are done before the mean is issued")


@claim("In PyTorch's words: the default stream computes products and adds them to `y`.",
       "Then another stream computes the mean of `y`.",
       "Each line only issues its op, and nothing in Python says that the mean needs the products.")
def the_program(lesson):
    for order in ("forgotten", "wait_stream"):
        run = lesson.run(order=order)
        changes, mean = ops_of(run, lesson)
        assert [op.name for op in changes] == ["matmul", "add_"] * lesson["products"]
        assert mean.name == "mean"
        assert {op.lane for op in changes} != {mean.lane} and len({op.lane for op in changes}) == 1
        assert run.waits()[0]["begin_ns"] >= mean.issue_end_ns


@claim("Ops of one stream run in the order of their issue.")
def in_a_stream(lesson):
    run = lesson.run(order="forgotten")
    changes, _ = ops_of(run, lesson)
    assert all(before.end_ns <= after.begin_ns for before, after in zip(changes, changes[1:]))


@claim("Ops of two streams are ordered only by what the program asks for.",
       "With Order on forgotten the mean runs beside the products and finds an old `y`: the program has a race.",
       "With Order on forgotten the mean begins before the products are done, and What happened names the two lines and the wait "
       "that is missing.",
       "A dashed arrow shows between which ops it is missing.",
       "Headway finds it from the order that the program asks for, so it names the race in each run.")
def forgotten(lesson):
    run = lesson.run(order="forgotten")
    changes, mean = ops_of(run, lesson)
    (race,) = run["races"]
    assert (race["kind"], race["op"]["name"], race["other"]["name"]) == ("read_write", "mean", "add_")
    assert race["op"]["op"] == mean.id and race["other"]["op"] == changes[-1].id
    (sentence,) = [s["text"] for s in run["explanation"] if s["kind"] == "races"]
    for part in ("line %d" % race["op"]["line"], "line %d" % race["other"]["line"], "wait_stream", race["missing"]):
        assert part in sentence, sentence
    long_products(lesson)
    assert mean.begin_ns < changes[-1].begin_ns
    early, late = (line.split()[-1] for line in run.out.splitlines())
    assert early != late


@claim("With `side.wait_stream(torch.cuda.current_stream())` it begins when the last product has been added, and both lines of "
       "output are the same.",
       "With wait_stream the mean begins at the end of the last op that changes `y`.")
def waited(lesson):
    run = lesson.run(order="wait_stream")
    changes, mean = ops_of(run, lesson)
    assert run["races"] == []
    assert mean.begin_ns >= changes[-1].end_ns
    early, late = (line.split()[-1] for line in run.out.splitlines())
    assert early == late
    long_products(lesson)
    assert mean.begin_ns == changes[-1].end_ns


@claim("Look at the streams.",
       "The frontend issues the same ops in both cases, and waits for none of them before the mean has been issued.")
def the_frontend(lesson):
    issued = []
    for order in ("forgotten", "wait_stream"):
        run = lesson.run(order=order)
        changes, mean = ops_of(run, lesson)
        issued.append([(op.name, op.lane) for op in [*changes, mean]])
        assert [w for w in run.waits() if w["begin_ns"] < mean.issue_end_ns] == []
    assert issued[0] == issued[1]


@claim("Whether a race spoils the values depends on when the ops run: on another GPU the same program may print the right mean.")
def by_luck(lesson):
    slow = lesson.run("--costs", "t1=500ms,t2=1us,t3=1us", order="forgotten")
    assert len(slow["races"]) == 1
    early, late = (line.split()[-1] for line in slow.out.splitlines())
    assert early == late


@claim("Let the frontend wait in place of the stream: `torch.cuda.synchronize()` before the mean.", "What does that cost?")
def the_exercise(lesson):
    long_products(lesson)
    run = lesson.run(order="wait_stream")
    _, mean = ops_of(run, lesson)
    assert mean.issue_end_ns < mean.begin_ns  # with the frontend's wait it would be issued only then
