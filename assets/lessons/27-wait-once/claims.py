from checking import claim, needs

LARGEST = {"steps": 100, "size": 800}
TABS = ["mxnet", "pytorch"]


@claim("A `waitall` after a loop waits once, for everything that was issued before it.",
       "It changes nothing about the steps before it: these were issued one after another without a stop.")
def one_wait(lesson):
    run = lesson.run(wait="once")
    (wait,) = run.waits("waitall", "synchronize")
    assert len(run.ops) == lesson["steps"]
    assert wait["begin_ns"] >= run.ops[-1].issue_end_ns
    assert run.headway_at(wait["begin_ns"] + wait["ns"]) == 0


@claim("Only a wait inside the loop stops the frontend in each step.", "With each it is one at most.")
def a_wait_in_each_step(lesson):
    run = lesson.run(wait="each")
    assert len(run.waits("waitall", "synchronize")) == lesson["steps"] + 1
    assert run["headway_max"] == 1


@claim("Look at headway with Wait on once: it grows over the steps, and the wait at the end brings it back to zero.",
       devices=["simulated"])
def headway_grows(lesson):
    needs(lesson["size"] >= 400 and lesson["steps"] > 2, "small products are done as fast as they are issued")
    run = lesson.run(wait="once")
    assert run["headway_max"] > 1
    assert run.headway_at(run.ops[-1].issue_end_ns) > run.headway_at(run.ops[1].issue_end_ns)
