from checking import claim, needs

LARGEST = {"steps": 40, "size": 800}
TABS = ["mxnet"]


def pairs(run, lesson):
    """(product, sum) of each step."""
    ops = run.ops[: 2 * lesson["steps"]]
    assert [op.name for op in run.ops[2 * lesson["steps"] :]] == ["mean"]
    return list(zip(ops[::2], ops[1::2]))


def long_products(lesson):
    needs(lesson["size"] >= 400, "a small product is done before the next op is issued")


@claim("A product reads `a`, and the next line overwrites `a`.",
       "The frontend does not wait in between, and a second stream is free.")
def the_program(lesson):
    run = lesson.run(result="in place")
    for product, added in pairs(run, lesson):
        assert (product.name, added.name) == ("matmul", "add_scalar_")
        assert product.reads == added.reads  # the same tensor
    assert run["settings"]["streams"] == 2
    assert run.waits()[0]["begin_ns"] >= run.ops[2 * lesson["steps"] - 1].issue_end_ns


@claim("The backend keeps track of readers, too: an op that overwrites a tensor begins when all earlier ops that read it are "
       "done.",
       "A later op that needs the new values begins after the write.",
       "With Result on in place no two ops overlap.")
def a_write_waits(lesson):
    run = lesson.run(result="in place")
    steps = pairs(run, lesson)
    for product, added in steps:
        assert product.end_ns <= added.begin_ns
    for (_, added), (product, _) in zip(steps, steps[1:]):
        assert added.id in product.reads and added.end_ns <= product.begin_ns
    assert run.overlap_ns() == 0
    long_products(lesson)
    assert any(added.issue_end_ns < product.end_ns for product, added in steps)  # it was there in time


@claim("So the product never reads the new values, and the program prints the same as with a wait after every op.")
def the_values(lesson):
    out = lesson.run("--barrier op", result="new").out
    assert out.startswith("mean of the last product: ")
    for result in ("in place", "new"):
        for streams in (2, 4):
            assert lesson.run(f"--streams {streams}", result=result).out == out
    assert lesson.run("--barrier op", result="in place").out == out


@claim("Look at the two streams.",
       "With new nothing is overwritten: the sum runs beside the product, and the run is shorter.")
def a_new_tensor(lesson):
    new, in_place = lesson.run(result="new"), lesson.run(result="in place")
    assert all(added.name == "add_scalar" for _, added in pairs(new, lesson))
    long_products(lesson)
    for product, added in pairs(new, lesson):
        assert added.begin_ns < product.end_ns and added.lane != product.lane
    assert new["total_ns"] < in_place["total_ns"]


@claim("Why does the choice hardly matter now?")
def small(lesson):
    new, in_place = (lesson.run(size=50, result=result) for result in ("new", "in place"))
    assert new.overlap_ns() == in_place.overlap_ns() == 0
    assert new["headway_max"] == in_place["headway_max"] == 1
