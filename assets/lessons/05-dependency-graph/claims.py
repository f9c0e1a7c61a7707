from checking import claim

OPS = ["fill", "fill", "mul", "add_scalar"]


@claim("Four ops: two tensors of ones, their product, and the product plus two.", "Then the result is printed.",
       "The first three statements only put ops on the queue and go on.",
       "Printing needs a value, so it waits: for `z`, and through it for everything that `z` is computed from.")
def only_print_waits(lesson):
    run = lesson.run()
    assert [op.name for op in run.ops] == OPS
    assert "3., 3." in run.out
    (wait,) = run.waits()
    assert wait["kind"] == "print"
    assert all(op.issue_end_ns <= wait["begin_ns"] for op in run.ops)
    assert all(op.end_ns <= wait["begin_ns"] + wait["ns"] for op in run.ops)
    assert set(wait["caused_by"]) <= {1, 2, 3, 4}


@claim("Look at the drawing Threads: four launches side by side on the frontend's thread, an arrow from each to its "
       "op on the backend's, and a dashed arrow back to `print`.",
       "The row above shows the same launches and ops one after another, as if each op were waited for.")
def the_same_ops_waited_for(lesson):
    run, waited = lesson.run(), lesson.run("--barrier op")
    assert [op.name for op in waited.ops] == [op.name for op in run.ops] == OPS
    assert len(waited.waits("op_barrier")) == 4
    for before, after in zip(waited.ops, waited.ops[1:]):
        assert before.end_ns <= after.issue_begin_ns


@claim("Then open Graph: the product needs both tensors of ones, the sum needs the product.",
       "Nothing else has to wait for anything, so the two tensors of ones could be made at the same time.")
def the_graph(lesson):
    ones, others, product, total = lesson.run().ops
    assert product.reads == {ones.id, others.id}
    assert total.reads == {product.id}
    assert not ones.reads and not others.reads


@claim("MXNet does the same.",
       "PyTorch and TensorFlow wait for each op on the CPU; on a GPU they do not wait either, and printing adds a "
       "fifth op: the copy of `z`.")
def other_frameworks(lesson):
    mxnet = lesson.run("--tab mxnet")
    assert ([w["kind"] for w in mxnet.waits()], mxnet["ops"]) == (["print"], 4)
    for tab in ("pytorch", "tensorflow"):
        on_cpu = lesson.run(f"--tab {tab} --device cpu")
        assert ([w["kind"] for w in on_cpu.waits()], on_cpu["ops"]) == (["op_barrier"] * 4 + ["print"], 4)
        on_gpu = lesson.run(f"--tab {tab} --device simulated")
        assert [w["kind"] for w in on_gpu.waits()] == ["print"]
        assert [op.name for op in on_gpu.ops] == [*OPS, "copy_to_host"]
