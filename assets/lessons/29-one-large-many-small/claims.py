from checking import claim, needs

TABS = ["mxnet"]
FEW, MANY = 2, 64


def products(run, pieces):
    assert [op.name for op in run.ops] == ["matmul"] * pieces
    made = {op.id for op in run.ops}
    assert not any(op.reads & made for op in run.ops)  # they do not need each other
    return run.ops


@claim("The rows of a matrix are divided into pieces, and each piece is multiplied by the same weights.",
       "These products do not need each other, and there are two streams.")
def the_work(lesson):
    run = lesson.run()
    products(run, lesson["pieces"])
    assert run["settings"]["streams"] == 2


@claim("Two products overlap only if one still runs when the next has been issued.",
       "Each of the 64 is done before that, so the streams take turns.",
       "Look at headway and the two streams: with 64 pieces headway is one at most.")
def many_do_not_overlap(lesson):
    run = lesson.run(pieces=MANY)
    ops = products(run, MANY)
    for before, after in zip(ops, ops[1:]):
        assert before.end_ns < after.issue_end_ns == after.begin_ns
        assert before.lane != after.lane
    assert (run["headway_max"], run.overlap_ns()) == (1, 0)


@claim("The run is issue-bound: the number of ops decides how long it takes, and more streams change nothing.")
def issue_bound(lesson):
    run = lesson.run(pieces=MANY)
    assert run["regime"] == "issue-bound" and run["t2_ns"] < run["t1_ns"]
    for streams in (1, 4):
        assert lesson.run(f"--streams {streams}", pieces=MANY)["total_ns"] == run["total_ns"]
    assert 1.9 < lesson.run(pieces=2 * MANY)["total_ns"] / run["total_ns"] < 2.1


@claim("The same work in two large ops overlaps, and takes a sixth of the time.",
       "With Pieces on 2 the second product is issued while the first one runs.")
def few_overlap(lesson):
    few, many = lesson.run(pieces=FEW), lesson.run(pieces=MANY)
    first, second = products(few, FEW)
    assert first.begin_ns < second.issue_begin_ns < second.issue_end_ns == second.begin_ns < first.end_ns
    assert few.lanes_used() == 2 and few.overlap_ns() > 0.4 * few["total_ns"]
    assert 6 <= many["total_ns"] / few["total_ns"] < 7


@claim("From which number on does nothing overlap?")
def the_turn(lesson):
    needs(lesson["pieces"] == MANY, "asked once")
    overlaps = [pieces for pieces in (4, 8, 16, 32) if lesson.run(pieces=pieces).overlap_ns() > 0]
    assert overlaps and overlaps == [4, 8, 16][: len(overlaps)]
