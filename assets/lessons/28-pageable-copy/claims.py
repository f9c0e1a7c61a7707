from checking import claim, needs

LARGEST = {"steps": 100, "size": 1200}


def both(lesson):
    return [lesson.run(memory=memory) for memory in ("pageable", "pinned")]


def copies_and_products(run, lesson):
    copies = [op for op in run.ops if op.name == "copy_to_device"]
    products = [op for op in run.ops if op.name == "matmul"]
    assert len(copies) == len(products) == lesson["steps"]
    assert len(run.ops) == 2 * lesson["steps"]
    return copies, products


@claim("A new tensor on the CPU is pageable.",
       "The frontend waits for a copy from pageable memory, with `non_blocking=True` or without.",
       "Look at the brackets copy on the frontend's lane: in each one there is a wait, and headway is two ops at most.")
def pageable_waits(lesson):
    run = lesson.run(memory="pageable")
    copies, _ = copies_and_products(run, lesson)
    waits, brackets = run.waits("copy"), [s for s in run["scopes"] if s["name"] == "copy"]
    assert len(waits) == len(brackets) == lesson["steps"]
    for copy, wait, bracket in zip(copies, waits, brackets):
        assert copy.line == wait["line"] and bracket["ns"] > wait["ns"]
        assert copy.issue_end_ns <= wait["begin_ns"] <= copy.end_ns <= wait["begin_ns"] + wait["ns"]
    assert run["headway_max"] <= 2


@claim("The copy stands in the GPU's stream, so the frontend waits for the product before it as well.")
def the_product_before_it(lesson):
    run = lesson.run(memory="pageable")
    copies, products = copies_and_products(run, lesson)
    assert run.lanes_used() == 1
    for product, copy, wait in zip(products, copies[1:], run.waits("copy")[1:]):
        assert product.end_ns <= copy.begin_ns
        assert product.end_ns <= wait["begin_ns"] + wait["ns"]
    needs(lesson["size"] >= 400 and lesson["steps"] > 1, "a small product is done before the next copy is issued")
    assert all(wait["caused_by_count"] == 2 for wait in run.waits("copy")[1:])


@claim("From pinned memory the same line returns at once.",
       "With Memory of x on pinned the frontend waits once, at the end, and the stream has no gap.")
def pinned_does_not_wait(lesson):
    run = lesson.run(memory="pinned")
    copies_and_products(run, lesson)
    assert [w["kind"] for w in run.waits()] == ["synchronize"]
    assert run.waits()[0]["begin_ns"] >= run.ops[-1].issue_end_ns
    needs(lesson["size"] >= 400, "small copies are done before the next op is issued")
    for before, after in zip(run.ops, run.ops[1:]):
        assert before.end_ns == after.begin_ns


@claim("The stream is idle for a while in every step.")
def runs_dry(lesson):
    pageable, pinned = both(lesson)
    copies, products = copies_and_products(pageable, lesson)
    for copy, product, wait in zip(copies, products, pageable.waits("copy")):
        assert pageable.headway_at(wait["begin_ns"] + wait["ns"]) == 0
        assert copy.end_ns < product.issue_end_ns == product.begin_ns
    assert pageable["total_ns"] > pinned["total_ns"]


@claim("On CPU there is no GPU to copy to, and the program says so.", devices=["cpu"])
def no_gpu(lesson):
    run = lesson.run(fails=True)
    assert run.status == 3
    assert "gpu" in run.err.lower() and run["error"]["line"] > 0
