from checking import busy_share, claim, needs, waits_for_each_op

LARGEST = {"size": 800, "reps": 20}
TABS = ["python", "mxnet", "pytorch"]


def busy_backend(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    needs(lesson["size"] >= 500, "small products are done before the next is issued")


@claim("An op that has been issued has not been executed.",
       "A stopwatch that is stopped without a wait measures how long it took to ask for the work; only one that is "
       "stopped after a wait measures the work.")
def two_stopwatches(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    run = lesson.run(wait="once")
    (wait,) = run.waits()
    assert run.printed("issued") <= run.printed("finished")
    assert all(op.issue_end_ns <= wait["begin_ns"] for op in run.ops)
    assert all(op.end_ns <= wait["begin_ns"] + wait["ns"] for op in run.ops)
    assert run.ops[-1].end_ns > run.ops[-1].issue_end_ns
    busy_backend(lesson)
    assert wait["caused_by_count"] > 0
    assert run.printed("issued") < run.printed("finished") / 2 or lesson["reps"] == 1


@claim("Look at the two times that the program prints, and at the frontend's lane: all issues lie at its very beginning, "
       "and one long wait fills the rest.")
def issues_first_then_one_wait(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    run = lesson.run(wait="once")
    (wait,) = run.waits()
    assert wait["kind"] == ("synchronize" if lesson.tab == "pytorch" else "waitall")
    busy_backend(lesson)
    needs(lesson["reps"] > 1, "one product is soon done")
    assert wait["ns"] > run["total_ns"] / 2


@claim("The backend is not lazy: it begins with the first product while the frontend is still issuing the others.")
def not_lazy(lesson):
    def until_begin(run):
        return run.ops[0].begin_ns - run.ops[0].issue_end_ns

    if lesson.exact:
        assert until_begin(lesson.run(wait="once")) == 0
    else:  # a worker that sleeps has to wake up; it does not wait for the frontend's wait
        busy_backend(lesson)
        assert lesson.least(until_begin, wait="once") < 20e6


@claim("Waiting for each product adds little to the total, because the backend is busy nearly all the time either way: "
       "asynchrony hides what issuing costs, it does not make a matrix product quicker.")
def waiting_for_each_adds_little(lesson):
    busy_backend(lesson)
    once, each = lesson.run(wait="once"), lesson.run(wait="each")
    assert once["ops"] == each["ops"] == 2 * lesson["reps"]
    assert len(each.waits()) == lesson["reps"] + 1
    for wait in ("once", "each"):
        assert lesson.most(busy_share, wait=wait) > 0.75
    if lesson.exact:
        assert once["total_ns"] < each["total_ns"] < 1.4 * once["total_ns"]


@claim("Then waiting for each product does cost.", devices=["simulated"])
def small_products_cost_a_wait(lesson):
    needs(lesson["reps"] > 1, "one product is waited for once")
    assert lesson.run(wait="each", size=10)["total_ns"] > 1.3 * lesson.run(wait="once", size=10)["total_ns"]


@claim("PyTorch (tab PyTorch) waits for each op on the CPU; on SIMULATED it does not.")
def pytorch_on_the_cpu(lesson):
    needs(lesson.tab == "", "asked once")
    assert waits_for_each_op(lesson, "pytorch")
