from checking import claim, needs, waits_for_each_op

LARGEST = {"products": 30, "size": 600, "sleep": 300}
TABS = ["mxnet", "pytorch"]


@claim("Nobody has to ask for a result before its computation begins.",
       "The backend starts with the first product as soon as it has been issued, and continues while the frontend "
       "sleeps.",
       "Look at the lane of the backend under the bracket sleep: the products are executed there.")
def begins_before_the_wait(lesson):
    run = lesson.run()
    wait = run.waits("waitall", "synchronize")[-1]
    assert len(run.ops) == lesson["products"]
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    needs(lesson["sleep"] > 0, "without a sleep the wait begins at once")
    if lesson.exact:
        assert run.ops[0].begin_ns == run.ops[0].issue_end_ns
    else:
        assert lesson.least(lambda r: r.ops[0].begin_ns - r.waits("waitall", "synchronize")[-1]["begin_ns"]) < 0
    assert wait["begin_ns"] > run.ops[-1].issue_end_ns


@claim("So the wait at the end finds less to wait for, or nothing.",
       "And at the wait after it: if the sleep is longer than the products take, nothing is left to wait for.")
def nothing_is_left(lesson):
    busy = lesson.median(lambda run: run["devices"][0]["busy_ns"], sleep=0)
    needs(lesson["sleep"] * 1e6 > 1.5 * busy, "the products take longer than the sleep")
    run = lesson.run()
    assert run.ops[-1].end_ns <= run.waits("waitall", "synchronize")[-1]["begin_ns"] or not lesson.exact
    if not lesson.exact:
        assert lesson.least(lambda r: r.ops[-1].end_ns - r.waits("waitall", "synchronize")[-1]["begin_ns"]) <= 0


@claim("Now most of the products' time is in the wait.")
def without_a_sleep(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    needs(lesson["products"] >= 6 and lesson["size"] >= 400, "a few small products are done at once")
    assert lesson.most(lambda run: run.waits("waitall", "synchronize")[-1]["ns"] / run["total_ns"], sleep=0) > 0.5


@claim("PyTorch (tab PyTorch) waits for each op on the CPU; on SIMULATED it does not.")
def pytorch_on_the_cpu(lesson):
    needs(lesson.tab == "", "asked once")
    assert waits_for_each_op(lesson, "pytorch", sleep=0)
