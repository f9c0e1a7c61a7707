from checking import claim, needs

LARGEST = {"size": 1000, "batches": 40}
TABS = ["mxnet"]


@claim("A GPU and the CPU beside it work on products that do not need each other.",
       "One minibatch has more for the GPU to do, the next one more for the CPU.")
def two_devices(lesson):
    run = lesson.run()
    assert [device["kind"] for device in run["devices"]] == ["simulated", "cpu"]
    assert run["ops"] == 5 * lesson["batches"]
    assert not any(op.reads & {o.id for o in run.ops} for op in run.ops)
    if lesson["batches"] % 2 == 0:
        assert run["devices"][0]["ops"] == run["devices"][1]["ops"]


@claim("Look at the idle time.",
       "With a barrier in each minibatch the device that is done waits for the other one.",
       "With one barrier after the last, each device continues with its own next minibatch, and the total is that of "
       "the device that has more to do.")
def a_barrier_for_both(lesson):
    each, last = (lesson.run(barrier=barrier) for barrier in ("each", "last"))
    assert len(each.waits("waitall")) == lesson["batches"] + 1
    assert len(last.waits()) == 1
    assert each["total_ns"] > last["total_ns"]
    needs(lesson["batches"] > 1, "there is one minibatch")
    assert each["idle"]["barrier_ns"] > 0 == last["idle"]["barrier_ns"]
    assert each["backend_idle_ns"] > last["backend_idle_ns"]
    needs(lesson["size"] >= 400, "small products are done when the next is issued")
    cpu = max(op.lane for op in last.ops)
    spans = []
    for ops in ([op for op in last.ops if op.lane != cpu], [op for op in last.ops if op.lane == cpu]):
        spans.append(max(op.end_ns for op in ops) - min(op.begin_ns for op in ops))
    assert max(spans) <= last["total_ns"] < max(spans) + 40_000  # issue of the first op, return of the wait


@claim("On CPU there is no GPU, and the program says so.", devices=["cpu"])
def no_gpu(lesson):
    run = lesson.run(fails=True)
    assert run.status == 3
    assert "gpu" in run.err.lower()
