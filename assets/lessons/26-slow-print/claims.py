from checking import claim, needs

LARGEST = {"products": 100, "size": 800}
TABS = ["mxnet", "pytorch"]


def prints(run):
    waits = run.values_read("print")
    assert len(waits) == 2
    return waits


@claim("The first print has to wait until all products have been executed, because its value needs them.",
       "The second one waits only for its own mean.")
def each_waits_for_what_it_needs(lesson):
    run = lesson.run()
    first, second = prints(run)
    products = [op for op in run.ops if op.name == "matmul"]
    assert len(products) == lesson["products"]
    assert first["begin_ns"] + first["ns"] >= products[-1].end_ns
    assert second["begin_ns"] >= products[-1].end_ns
    assert not set(second["caused_by"]) & {op.id for op in products}
    if lesson.exact and not lesson.real_torch:
        assert second["caused_by_count"] <= (2 if lesson.tab == "pytorch" else 1)  # the copy of the mean


@claim("What looks like the cost of printing is the time of the queue before it.",
       "Look at the two waits with the name print: the first one lasts until all products are done, the second "
       "one is short.", "Both waits are split by what they waited for: point at them.", devices=["simulated"])
def the_first_is_long(lesson):
    needs(lesson["products"] >= 10 and lesson["size"] >= 400, "few or small products are done before the print")
    needs(not lesson.real_torch, "PyTorch itself reads several values to print one, each with a copy of its own")
    run = lesson.run()
    first, second = prints(run)
    products = [op for op in run.ops if op.name == "matmul"]
    assert first["ns"] > 0.5 * sum(op.end_ns - op.begin_ns for op in products)
    assert second["ns"] < 0.5 * first["ns"]
    assert all("split" in wait for wait in (first, second))
