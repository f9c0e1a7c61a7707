from checking import claim, needs

LARGEST = {"size": 1500, "steps": 60}


@claim("The copy is small, but it needs everything that its value depends on.",
       "So it empties the queue, and the backend then waits for the frontend to fill it again.",
       devices=["simulated", "cpu"])
def each_copy_empties_the_queue(lesson):
    run = lesson.run(copy="each")
    for wait in run.waits("numpy"):
        end = wait["begin_ns"] + wait["ns"]
        assert run.headway_at(end) == 0
        later = [op for op in run.ops if op.issue_end_ns > end]
        assert all(op.begin_ns > end for op in later)
    assert run["idle"]["blocker_ns"] > 0


@claim("Look at headway and the number of waits: with each there is a wait in every step, and headway falls to zero there; "
       "with once there is one wait.", "Both print the same mean, and each takes longer.")
def each_or_once(lesson):
    each, once = lesson.run(copy="each"), lesson.run(copy="once")
    assert (len(each.waits("numpy")), len(once.waits("numpy"))) == (lesson["steps"] + 1, 1)
    assert (len(each.waits()), len(once.waits())) == (lesson["steps"] + 1, 1)
    assert each.out == once.out
    assert each["total_ns"] > once["total_ns"]
    needs(lesson["steps"] > 1 and lesson["size"] >= 400, "few or small steps do not fill the queue")
    assert each["headway_max"] < once["headway_max"]
