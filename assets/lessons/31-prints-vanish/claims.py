from checking import claim, needs

LARGEST = {"calls": 20, "shapes": 3}
OPS = ["matmul", "relu", "add"]


def counts(run):
    """Lines that the function printed, its calls, and how often it was traced."""
    lines = [line for line in run.out.splitlines() if line.startswith("step has a matrix of ")]
    names = [scope["name"] for scope in run["scopes"]]
    return len(lines), names.count("call"), sum(name.startswith("tracing ") for name in names)


@claim("A function prints a line and computes with its matrix.", "It is called four times with each of two shapes.",
       "Look at the output: two lines for eight calls.",
       "On the frontend's lane two of the eight brackets call have a bracket tracing in them.")
def two_lines(lesson):
    run = lesson.run(calls=4, shapes=2, function="traced")
    assert counts(run) == (2, 8, 2)


@claim("The Python lines of a traced function run while it is traced, at its first call with each shape.")
def once_a_shape(lesson):
    run = lesson.run(function="traced")
    lines, calls, traced = counts(run)
    assert lines == traced == lesson["shapes"]
    assert calls == lesson["shapes"] * lesson["calls"]
    rows = [line.split()[-2] for line in run.out.splitlines()]
    assert len(set(rows)) == lesson["shapes"]
    brackets = [scope["ns"] for scope in run["scopes"] if scope["name"] == "call"]
    needs(lesson.exact and lesson["calls"] > 1, "times are compared")
    for first in range(0, calls, lesson["calls"]):  # the print and the tracing are in the first call
        assert all(ns < brackets[first] for ns in brackets[first + 1 : first + lesson["calls"]])


@claim("Every call then issues the graph that was traced, and runs no line of the function: nothing is printed, but "
       "all ops are executed.", "All eight calls have their op on the stream.")
def the_ops_are_there(lesson):
    run = lesson.run(function="traced")
    lines, calls, _ = counts(run)
    graphs = [op for op in run.ops if op.name == "tf.function step"]
    assert len(graphs) == calls and run["parts"] == len(OPS) * calls
    assert lines == calls or lesson["calls"] > 1


@claim("Without tracing the lines run in every call.")
def eager(lesson):
    run = lesson.run(function="eager")
    lines, calls, traced = counts(run)
    assert (lines, traced) == (calls, 0)
    assert [op.name for op in run.ops if op.name in OPS] == OPS * calls
