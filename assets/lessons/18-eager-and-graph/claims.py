from checking import claim

LARGEST = {"size": 800, "steps": 60}


@claim("An eager op is issued by itself: a call of this function is four issues.",
       "A traced function is issued as a whole: one issue, whose ops the backend then runs one after another.",
       "Look at the two times that the program prints, and at how many issues there are under the two brackets.")
def four_issues_or_one(lesson):
    run, steps = lesson.run(), lesson["steps"]
    names = [op.name for op in run.ops if op.name != "copy_to_host"]
    assert names == ["matmul", "mul_scalar", "relu", "add"] * steps + ["tf.function step"] * steps
    if lesson.exact:  # four issues and four lines against one issue and one line, besides the loop
        assert run.printed("eager, issued") > 3 * run.printed("traced, issued")


@claim("In the lane a traced call is one bar; zoom in to see its ops in it, one by one.")
def one_bar(lesson):
    run = lesson.run()
    calls = [op for op in run.ops if op.name == "tf.function step"]
    assert len(calls) == lesson["steps"]
    assert run["parts"] == 4 * len(calls)
    for before, after in zip(calls, calls[1:]):
        assert before.end_ns <= after.begin_ns


@claim("Neither is waited for: on a GPU TensorFlow's eager ops are asynchronous, too, and the only waits are those of "
       "`numpy()`.")
def asynchronous_on_a_gpu(lesson):
    assert [w["kind"] for w in lesson.run().waits()] == ["numpy", "numpy"]


@claim("On the CPU TensorFlow waits for each eager op, and for each call of a traced function.", devices=["cpu"])
def synchronous_on_the_cpu(lesson):
    run = lesson.run()
    assert len(run.waits("op_barrier")) == run["ops"] == 5 * lesson["steps"]
    for before, after in zip(run.ops, run.ops[1:]):
        assert before.end_ns <= after.issue_begin_ns


@claim("Under Engine, Issue does the same for any program: the ops between two waits are collected and issued as one "
       "graph.")
def issue_as_a_graph(lesson):
    assert lesson.run("--issue graph")["ops"] < lesson.run()["ops"]
