from checking import claim, needs

LARGEST = {"size": 900, "steps": 40}
TABS = ["mxnet", "pytorch"]


def copies(run, lesson):
    """The waits for values: of `numpy()`, in PyTorch of `cpu()` before it."""
    if lesson.tab == "pytorch" and lesson.device != "cpu":
        return [wait for wait in run.waits("copy") if wait["name"] == "cpu"]
    return run.waits("numpy")


@claim("The copy is small, but it needs everything that its value depends on.",
       "So it empties the queue, and the backend then waits for the frontend to fill it again.",
       devices=["simulated", "cpu"])
def each_copy_empties_the_queue(lesson):
    run = lesson.run(copy="each")
    for wait in copies(run, lesson):
        end = wait["begin_ns"] + wait["ns"]
        assert run.headway_at(end) == 0
        later = [op for op in run.ops if op.issue_end_ns > end]
        assert all(op.begin_ns > end for op in later)
    assert run["idle"]["blocker_ns"] > 0 or not lesson.asynchronous


@claim("Look at headway and the number of waits: with each there is a wait in every step, and headway falls to zero there; "
       "with once there is one wait.", "Both print the same mean, and each takes longer.")
def each_or_once(lesson):
    each, once = lesson.run(copy="each"), lesson.run(copy="once")
    assert (len(copies(each, lesson)), len(copies(once, lesson))) == (lesson["steps"] + 1, 1)
    if lesson.tab != "pytorch":
        assert (len(each.waits()), len(once.waits())) == (lesson["steps"] + 1, 1)
    assert each.out == once.out
    assert each["total_ns"] > once["total_ns"]
    needs(lesson["steps"] > 1 and lesson["size"] >= 400, "few or small steps do not fill the queue")
    assert each["headway_max"] < once["headway_max"]


@claim("In PyTorch the copy is an op of its own: `cpu()` waits for it, and the `numpy()` after it finds nothing to wait for.",
       devices=["simulated"])
def pytorch_copies(lesson):
    needs(lesson.tab == "", "asked once")
    for copy, steps in (("each", lesson["steps"]), ("once", 0)):
        run = lesson.run("--tab pytorch", copy=copy)
        assert len([op for op in run.ops if op.name == "copy_to_host"]) == steps + 1
        assert [w["kind"] for w in run.waits()] == ["copy", "numpy"] * (steps + 1)
        assert all(w["caused_by_count"] == 0 for w in run.waits("numpy"))
