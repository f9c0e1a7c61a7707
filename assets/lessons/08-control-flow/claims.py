from checking import claim, needs

LARGEST = {"size": 800, "steps": 20}
TABS = ["mxnet", "pytorch"]


@claim("`if tensor:` is a blocker.",
       "The frontend cannot know which way the program goes before the value is there, so it is no longer ahead: "
       "after each `if` nothing is left in the queue.", devices=["simulated", "cpu"])
def each_if_waits(lesson):
    run = lesson.run(decide="each")
    waits = run.waits("boolean")
    assert len(waits) == lesson["steps"]
    for wait in waits:
        assert run.headway_at(wait["begin_ns"] + wait["ns"]) == 0
    assert lesson.run(decide="never").waits("boolean") == []


@claim("Look at headway with Decide on each, then on never.",
       "With each it falls to zero in every step, and the streams wait for the next issue; with never it climbs to more "
       "than fifty ops.")
def headway_climbs(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    needs(lesson["size"] >= 1000 and lesson["steps"] >= 12, "few or small steps do not fill the queue")
    each, never = lesson.run(decide="each"), lesson.run(decide="never")
    assert each["headway_max"] < 10
    assert never["headway_max"] > 50
    assert each["idle"]["blocker_ns"] > 0 == never["idle"]["blocker_ns"]
    assert each["total_ns"] > never["total_ns"]


@claim("Few rows: headway stays low either way, as each op is done before the next has been issued, and every `if` still "
       "costs a wait.")
def small_steps(lesson):
    each, never = (lesson.run(decide=decide, size=100) for decide in ("each", "never"))
    assert max(each["headway_max"], never["headway_max"]) <= 2
    assert each["total_ns"] >= never["total_ns"] + lesson["steps"] * each["t3_ns"] - 10_000
