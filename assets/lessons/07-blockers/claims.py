from checking import claim

LARGEST = {"size": 1500}
KINDS = ["print", "item", "item", "numpy"]  # float() is an item


@claim("A program that needs a value waits for it: `print`, `item`, `numpy`, `float`.",
       "Look at the names on the waits, and at the times that the program prints.",
       "There is no wait under shape; under each of the others there is one, and it ends when the product has been "
       "executed and its value is there.", devices=["simulated", "cpu"])
def each_blocker_waits(lesson):
    run = lesson.run()
    first, *blockers = run.waits()
    assert first["kind"] == "waitall"  # after the stretch `shape`
    assert [w["kind"] for w in blockers] == KINDS
    for wait, product in zip(blockers, [op for op in run.ops if op.name == "matmul"][1:]):
        assert product.issue_end_ns <= wait["begin_ns"]
        assert product.end_ns <= wait["begin_ns"] + wait["ns"]
        assert run.headway_at(wait["begin_ns"] + wait["ns"]) == 0


@claim("The shape is known on the frontend already, so asking for it waits for nothing.")
def shape_does_not_wait(lesson):
    run = lesson.run()
    product = run.ops[0]
    assert product.end_ns > run.begin_ns + run.scope("shape")  # it still runs
    assert run.printed("shape") < min(run.printed(name) for name in ("print", "item", "float", "numpy"))
