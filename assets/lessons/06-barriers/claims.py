from checking import claim, needs

LARGEST = {"size": 1000, "others": 50}
TABS = ["mxnet", "pytorch"]


def waits(run):
    """wait_to_read, the waitall that ends the first stretch, the waitall of the second one; PyTorch's waits for them."""
    one, rest, everything = run.waits("wait_to_read", "waitall", "synchronize")
    names = [w["name"].split(".")[-1] for w in (one, rest, everything)]
    assert names in (["wait_to_read", "waitall", "waitall"], ["synchronize"] * 3)
    return one, rest, everything


def stretches(lesson):
    return ("event", "synchronize") if lesson.tab == "pytorch" else ("wait_to_read", "waitall")


@claim("`wait_to_read` waits for one tensor and what it depends on; other ops may still be unfinished when it "
       "returns.",
       "`waitall` waits for everything that was issued, needed or not.", "Look at where the two waits end.",
       "When the first one returns, products that `b` does not need are still unfinished; when the second one "
       "returns, none is.", devices=["simulated", "cpu"])
def one_or_all(lesson):
    run = lesson.run()
    one, _, everything = waits(run)
    products = run.ops[: len(run.ops) // 2]
    assert set(one["caused_by"]) <= {products[0].id}
    end = one["begin_ns"] + one["ns"]
    assert products[0].end_ns <= end
    assert run.headway_at(everything["begin_ns"] + everything["ns"]) == 0
    needs(lesson["others"] > 0, "there is no rest")
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    needs(lesson["size"] >= 400, "small products are done when the last one has been issued")
    assert run.headway_at(end) > 0
    assert set(everything["caused_by"]) - {run.ops[len(run.ops) // 2].id}


@claim("The program prints how long each took, issuing included.")
def both_are_printed(lesson):
    run = lesson.run()
    one, everything = stretches(lesson)
    for name in (one, everything):
        assert abs(run.printed(name) / run.scope(name) - 1) < 0.01
    needs(lesson["others"] > 0 and lesson["size"] >= 400, "there is little to wait for")
    assert run.scope(everything) > run.scope(one)


@claim("Two rows: the products are done before the last one has been issued, and there is little to wait for.")
def small_products(lesson):
    run = lesson.run(size=2)
    one, _, everything = waits(run)
    assert all(op.end_ns <= one["begin_ns"] for op in run.ops[: lesson["others"]])
    assert everything["caused_by_count"] <= 1


@claim("PyTorch has no wait for one tensor: an event stands for all ops that were issued before `record()`, and "
       "`done.synchronize()` waits for these.")
def an_event(lesson):
    needs(lesson.tab == "", "asked once")
    run = lesson.run("--tab pytorch --device simulated")
    one, rest, everything = waits(run)
    assert [w["name"] for w in (one, rest, everything)] == [
        "Event.synchronize", "torch.cuda.synchronize", "torch.cuda.synchronize"]
    products = run.ops[: len(run.ops) // 2]
    end = one["begin_ns"] + one["ns"]
    assert products[0].end_ns <= end and set(one["caused_by"]) <= {products[0].id}
    needs(lesson["others"] > 0 and lesson["size"] >= 400, "nothing is left to run")
    assert products[-1].end_ns > end
