import statistics

from checking import busy_share, claim, needs, run_text, waits_for_each_op

LARGEST = {"n": 12000, "size": 10000}
TABS = ["python", "mxnet", "pytorch"]
LINES_NS = 3 * 100  # of Python in a step on simulated: for, y = x + 1, if


@claim("When the frontend waits for each result, a step costs the sum of three stages: issue it (t₁), execute it (t₂), hand "
       "the result back (t₃).",
       "When it waits only once, the stages of different steps overlap, and the slower of issue and execution alone sets "
       "the pace.", devices=["simulated"])
def three_stages(lesson):
    n, each, once = lesson["n"], lesson.run(wait="each"), lesson.run(wait="once")
    t1, t2, t3 = (each[key] for key in ("t1_ns", "t2_ns", "t3_ns"))
    lines = n * LINES_NS + 1000 if lesson.tab else 0  # the frontend's own work
    assert 0 <= each["total_ns"] - n * (t1 + t2 + t3) <= lines
    assert (once["t1_ns"], once["t2_ns"]) == (t1, t2)
    assert n * max(t1, t2) < once["total_ns"] <= n * max(t1, t2) + t1 + t2 + t3 + lines


@claim("Look at the measured total beside the predicted one: what lies between them has names.")
def prediction_and_parts(lesson):
    for wait in ("each", "once"):
        prediction = lesson.run(wait=wait)["prediction"]
        parts = sum(part["ns"] for part in prediction["parts"])
        assert prediction["predicted_ns"] + parts == prediction["measured_ns"]
        assert all(part["name"] for part in prediction["parts"])


PAUSED = """import time
import headway as hw
x = hw.ones(2)
x.wait_to_read()
hw.measure()
for _ in range(100):
    time.sleep(0.002)
    y = x + 1
    y.wait_to_read()
"""


@claim("On a real machine a step has one more stage, the hand-over to the worker.",
       "A worker that found no op for 50 µs sleeps, and to wake it takes far longer than adding one to two numbers.",
       devices=["cpu"])
def hand_over(lesson):
    needs(lesson.tab == "", "asked once")
    ops = run_text(PAUSED, "--device cpu").ops
    adding_ns = statistics.median(op.end_ns - op.begin_ns for op in ops)
    assert statistics.median(op.begin_ns - op.issue_begin_ns for op in ops) > 10 * adding_ns


@claim("A program that waits for each result has this stage in every step.", devices=["cpu"])
def in_every_step(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    each = lesson.run(wait="each", n=min(lesson["n"], 2000))
    waits = each.waits("wait_to_read")
    assert len(waits) == each["ops"]
    assert all(op.end_ns <= wait["begin_ns"] + wait["ns"] for op, wait in zip(each.ops, waits))
    assert all(before.end_ns <= after.issue_begin_ns for before, after in zip(each.ops, each.ops[1:]))


@claim("Headway is one at most with each.")
def one_at_most(lesson):
    run = lesson.run(wait="each")
    assert run["headway_max"] == 1
    if lesson.tab == "pytorch":
        assert len(run.waits("synchronize")) == lesson["n"] + 1
    else:
        assert len(run.waits("wait_to_read")) == len(run.waits()) - len(run.waits("waitall")) == lesson["n"]


@claim("With once the frontend runs ahead of a worker that is still waking up, or slower: with 10,000 elements by thousands "
       "of steps.", devices=["cpu"])
def far_ahead(lesson):
    needs(lesson.tab in ("", "python"), "asked of Headway's own programs")
    needs(lesson["n"] >= 10000, "there are not thousands of steps")
    assert lesson.median(lambda run: run["headway_max"], wait="once", size=10000) > 1000


@claim("On SIMULATED there is no hand-over, and each step is done before the next is issued: headway stays at one.",
       devices=["simulated"])
def no_hand_over(lesson):
    run = lesson.run(wait="once")
    assert run["headway_max"] == 1
    assert run["idle"]["handover_ns"] == 0


@claim("100,000 elements and 1,000 steps on the CPU, with once: now t₂ is longer than t₁, and the worker is busy nearly all "
       "the time.", devices=["cpu"])
def larger_tensors(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    run = lesson.run(wait="once", size=100000, n=1000)
    assert len(run.waits()) == 1
    assert run["t2_ns"] > run["t1_ns"]
    assert lesson.most(busy_share, wait="once", size=100000, n=1000) > 0.6


@claim("PyTorch (tab PyTorch) waits for each op on the CPU; on SIMULATED it does not.")
def pytorch_on_the_cpu(lesson):
    needs(lesson.tab == "", "asked once")
    assert waits_for_each_op(lesson, "pytorch", n=min(lesson["n"], 1000))
