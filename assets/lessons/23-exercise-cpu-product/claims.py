from checking import claim, needs

LARGEST = {"size": 800, "reps": 30}


@claim("Look at the waits and at the two times that the program prints.",
       "PyTorch computes on the CPU before it returns: each op is waited for, headway is one at most, and a last wait finds "
       "nothing to wait for.")
def pytorch_waits(lesson):
    run = lesson.run()
    assert len(run.waits("op_barrier")) == run["ops"] == 4 * lesson["reps"]
    assert run["headway_max"] == 1
    assert run.waits("waitall")[-1]["caused_by_count"] == 0
    if lesson.exact:
        assert run.scope("finished") < 1.2 * run.scope("issued")


@claim("MXNet puts CPU ops on a queue as well: all are issued first, and only the last wait takes long.")
def mxnet_does_not(lesson):
    run = lesson.run("--tab mxnet")
    assert [w["kind"] for w in run.waits()] == ["waitall", "waitall"]
    second = run.ops[len(run.ops) // 2 :]
    assert all(op.issue_end_ns <= run.waits()[-1]["begin_ns"] for op in second)
    needs(lesson["size"] >= 300, "small products are done when the next is issued")
    assert run.waits()[-1]["caused_by_count"] > 0
    needs(lesson["reps"] >= 3, "few products are soon done")
    assert lesson.median(lambda run: run.scope("finished") / run.scope("issued"), "--tab mxnet") > 2
