from checking import claim, needs

LARGEST = {"size": 1500}
TABS = ["mxnet", "pytorch"]
KINDS = ["print", "item", "item", "numpy"]  # float() is an item


@claim("A program that needs a value waits for it: `print`, `item`, `numpy`, `float`.",
       "Look at the names on the waits, and at the times that the program prints.",
       "There is no wait under shape; under each of the others there is one, and it ends when the product has been "
       "executed and its value is there.", devices=["simulated", "cpu"])
def each_blocker_waits(lesson):
    run = lesson.run()
    first, *blockers = run.values_read("waitall", "synchronize", "print", "item", "numpy", "copy")
    assert first["kind"] in ("waitall", "synchronize")  # after the stretch `shape`
    if lesson.tab == "pytorch" and lesson.device != "cpu":
        if not lesson.real_torch:  # where numpy() of a CPU tensor does not wait
            assert blockers.pop()["kind"] == "numpy"
        assert [w["kind"] for w in blockers] == [*KINDS[:3], "copy"]
    else:
        assert [w["kind"] for w in blockers] == KINDS
    for wait, product in zip(blockers, [op for op in run.ops if op.name == "matmul"][1:]):
        assert product.issue_end_ns <= wait["begin_ns"]
        assert product.end_ns <= wait["begin_ns"] + wait["ns"]
        assert run.headway_at(wait["begin_ns"] + wait["ns"]) == 0


@claim("The shape is known on the frontend already, so asking for it waits for nothing.")
def shape_does_not_wait(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    run = lesson.run()
    asked = run.scope_end("shape")
    assert all(wait["begin_ns"] >= asked for wait in run.waits())
    needs(lesson["size"] >= 200, "a small product may be done before its shape is asked for")
    assert run.ops[0].end_ns > asked  # it still runs
    assert run.printed("shape") < min(run.printed(name) for name in ("print", "item", "float", "numpy"))


@claim("In PyTorch a value comes to the CPU by a copy, an op of its own; `b.cpu()` waits for it, and `numpy()` then finds nothing "
       "to wait for.", devices=["simulated"])
def pytorch_copies(lesson):
    needs(lesson.tab == "", "asked once")
    run, own = lesson.run("--tab pytorch"), lesson.run()
    assert [op.name for op in run.ops].count("copy_to_host") == 4 and run["ops"] == own["ops"] + 4
    copy, numpy = run.waits()[-2:]
    assert (copy["kind"], copy["name"], numpy["kind"]) == ("copy", "cpu", "numpy")
    assert copy["caused_by_count"] > 0 == numpy["caused_by_count"]
