from checking import claim, needs, waits_for_each_op

LARGEST = {"size": 800, "reps": 15}
TABS = ["mxnet", "pytorch"]
STRETCHES = ("NumPy, on the frontend", "queue, issued", "queue, finished")


@claim("The second stretch ends before its work is done, so its time says nothing about the device.",
       "The third one does the same work and waits for it.",
       "Under the second one all ops are issued, and the last has not been executed when it ends.")
def the_second_does_not_wait(lesson):
    run = lesson.run()
    issued, finished = run.ops[: len(run.ops) // 2], run.ops[len(run.ops) // 2 :]
    assert [op.name for op in issued] == [op.name for op in finished] == ["normal", "matmul"] * lesson["reps"]
    between, last = run.waits("waitall", "synchronize")
    assert all(op.end_ns <= last["begin_ns"] + last["ns"] for op in finished)
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    needs(lesson["size"] >= 200, "small products are done when the last is issued")
    assert between["caused_by_count"] > 0
    assert issued[-1].end_ns > between["begin_ns"] >= issued[-1].issue_end_ns


@claim("The difference between the second and the third time is the wait; the difference between the first and the "
       "third is the device with its libraries.", devices=["simulated"])
def two_reasons(lesson):
    run = lesson.run()
    numpy, issued, finished = (run.scope(name) for name in STRETCHES)
    assert finished - issued == run.waits()[-1]["ns"] + 100  # and the line that waits
    assert numpy > 0
    needs(lesson["size"] >= 200, "small products take a GPU as long as a CPU, and longer")
    assert numpy > finished > issued


@claim("Look at the three brackets over the frontend's lane.",
       "Under the first one the frontend computes by itself: that is NumPy, and no op is issued meanwhile.")
def numpy_is_the_frontends_work(lesson):
    run = lesson.run()
    assert [scope["name"] for scope in run["scopes"]] == list(STRETCHES)
    assert run["ops"] == 4 * lesson["reps"]
    assert run.ops[0].issue_begin_ns >= run.begin_ns + run.scope(STRETCHES[0])
    assert run["recorded_work_ns"] >= 0.9 * run.scope(STRETCHES[0])


@claim("On SIMULATED NumPy uses the CPU, and the queue a GPU.", devices=["simulated"])
def simulated_is_a_gpu(lesson):
    assert lesson.run()["device"]["name"].startswith("GPU")


@claim("PyTorch (tab PyTorch) waits for each op on the CPU; on SIMULATED it does not.")
def pytorch_on_the_cpu(lesson):
    needs(lesson.tab == "", "asked once")
    assert waits_for_each_op(lesson, "pytorch")
