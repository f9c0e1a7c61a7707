from checking import claim, needs

LARGEST = {"size": 1000, "before": 30, "after": 60}


@claim("After a warm-up several products are issued, each of which needs the one before, and the program waits for one in the "
       "middle.")
def a_chain(lesson):
    run = lesson.run()
    assert run["warmup_ns"] > 0
    chain = run.ops[: len(run.ops) // 2]
    assert len(chain) == lesson["before"] + lesson["after"]
    assert all(before.id in after.reads for before, after in zip(chain, chain[1:]))


@claim("Look at the two waits.",
       "The first one ends when the products before the tensor are done, three of nine, and the worker still has the other six "
       "to do; the second one ends when all are done.")
def where_they_end(lesson):
    run = lesson.run()
    one, rest, everything = run.waits()
    assert [w["kind"] for w in (one, rest, everything)] == ["wait_to_read", "waitall", "waitall"]
    before, after = lesson["before"], lesson["after"]
    end = one["begin_ns"] + one["ns"]
    assert all(op.end_ns <= end for op in run.ops[:before])
    assert set(one["caused_by"]) <= {op.id for op in run.ops[:before]}
    assert run.headway_at(everything["begin_ns"] + everything["ns"]) == 0
    needs(after > 0 and lesson["size"] >= 300, "the others are soon done")
    if lesson.exact or before:
        assert run.headway_at(end) > 0
    if before == 3 and after == 6 and (lesson.exact is False or lesson["size"] >= 600):
        assert run.headway_at(one["begin_ns"]) >= 6


@claim("As long as products take far longer than their issue, the first stretch takes about a third of the second.")
def a_third(lesson):
    needs((lesson["before"], lesson["after"]) == (3, 6), "other numbers of products, another share")
    size = max(lesson["size"], 1000) if lesson.exact else lesson["size"]
    needs(size >= 300, "small products do not")
    share = lesson.median(lambda run: run.scope("wait_to_read") / run.scope("waitall"), size=size)
    assert (0.32 < share < 0.37) if lesson.exact else (0.15 < share < 0.65)
