from checking import claim, needs

LARGEST = {"steps": 16, "rows": 300, "columns": 1600}
TABS = ["mxnet", "pytorch"]


def sides(run, lesson):
    """Products and copies, in the order of issue."""
    products = [op for op in run.ops if op.name == "matmul"]
    copies = [op for op in run.ops if op.name == "copy_to_host"]
    assert len(products) == len(copies) == lesson["steps"] and len(run.ops) == 2 * lesson["steps"]
    return products, copies


def spent(ops):
    return sum(op.end_ns - op.begin_ns for op in ops)


def overlap_of(products, copies):
    return sum(max(0, min(p.end_ns, c.end_ns) - max(p.begin_ns, c.begin_ns)) for p in products for c in copies)


def long_ops(lesson):
    needs(lesson["rows"] >= 100 and lesson["columns"] >= 800, "small ops are done before the next one is issued")
    needs(lesson["steps"] > 1, "there is no next product")


def two_streams(lesson):
    needs(lesson.tab != "pytorch", "PyTorch has one stream")


@claim("A chain of products is computed on the GPU, and every result is copied to the CPU.",
       "The copy of a result and the next product both need that result, and they do not need each other.")
def dependencies(lesson):
    products, copies = sides(lesson.run(), lesson)
    for product, copy, following in zip(products, copies, products[1:]):
        assert copy.reads == {product.id}
        assert product.id in following.reads and copy.id not in following.reads


@claim("So one stream can copy while the other one computes, if the frontend does not wait in between.",
       "Look at the two streams with Wait on once: every product but the first runs while the result before it is copied.")
def they_overlap(lesson):
    two_streams(lesson)
    long_ops(lesson)
    run = lesson.run(wait="once")
    products, copies = sides(run, lesson)
    for copy, following in zip(copies, products[1:]):
        assert copy.begin_ns <= following.begin_ns < copy.end_ns
        assert copy.lane != following.lane
    assert run.waits()[0]["begin_ns"] >= run.ops[-1].issue_end_ns


@claim("The total is then close to that of the copies alone, the slower side here.")
def the_slower_side(lesson):
    two_streams(lesson)
    long_ops(lesson)
    run = lesson.run(wait="once")
    products, copies = sides(lesson.run(wait="each"), lesson)  # each of them alone on the GPU
    needs(lesson["columns"] <= 1600, "with more columns the products are the slower side")
    assert spent(products) < spent(copies)
    assert 0.98 * spent(copies) < run["total_ns"] < spent(copies) + 0.2 * spent(products) + 50_000


@claim("With each the next product is issued when the copy is done, nothing overlaps, and the total is that of both sides "
       "together.")
def waiting_for_each(lesson):
    run = lesson.run(wait="each")
    products, copies = sides(run, lesson)
    for copy, following in zip(copies, products[1:]):
        assert copy.end_ns <= following.issue_begin_ns
    assert overlap_of(products, copies) == 0
    long_ops(lesson)
    assert 1 < run["total_ns"] / (spent(products) + spent(copies)) < 1.15


@claim("In PyTorch (tab PyTorch) nothing overlaps with once either: there is one stream, and it executes products and "
       "copies in turn.", "MXNet has two streams, like Headway.")
def one_stream(lesson):
    needs(lesson.tab == "", "asked once")
    run = lesson.run("--tab pytorch", wait="once")
    products, copies = sides(run, lesson)
    assert run["settings"]["streams"] == run.lanes_used() == 1
    assert len(run.waits()) == 1
    for product, copy, following in zip(products, copies, products[1:]):
        assert product.end_ns <= copy.begin_ns and copy.end_ns <= following.begin_ns
    assert lesson.run()["settings"]["streams"] == lesson.run("--tab mxnet")["settings"]["streams"] == 2


@claim("On CPU there is no GPU to copy from, and the program says so.", devices=["cpu"])
def no_gpu(lesson):
    run = lesson.run(fails=True)
    assert run.status == 3
    assert "gpu" in run.err.lower() and run["error"]["line"] > 0
