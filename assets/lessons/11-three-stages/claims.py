from checking import claim, needs

LARGEST = {"n": 5000}
TABS = ["python", "mxnet", "pytorch"]
TURN = 562_500  # elements: t2 = 2 µs + 8 bytes each at 1.5 TB/s = 5 µs = t1


def stages(run):
    return run["ops"], run["t1_ns"], run["t2_ns"], run["t3_ns"]


def size_of(lesson):
    """With many steps, small tensors: their memory piles up."""
    return lesson["size"] if lesson["n"] <= 200 else 2


@claim("On the simulated device every stage always takes the same time, so the formulas can be checked to the nanosecond.",
       "The formulas are about one lane and three stages, so this lesson has one stream, and the program's own lines take "
       "no time.")
def one_lane(lesson):
    run = lesson.run(wait="once", size=size_of(lesson))
    assert run["settings"]["streams"] == run.lanes_used() == 1
    for key in ("t1", "t2"):
        assert run[key]["p10_ns"] == run[key]["most_ns"]
    assert sum(op.issue_end_ns - op.issue_begin_ns for op in run.ops) == run.ops[-1].issue_end_ns - run.begin_ns


@claim("Waiting each time costs N·(t₁+t₂+t₃).")
def each(lesson):
    run = lesson.run(wait="each", size=size_of(lesson))
    n, t1, t2, t3 = stages(run)
    assert run["total_ns"] == n * (t1 + t2 + t3)


@claim("Waiting once costs max(t₁ + N·t₂, N·t₁ + t₂) + t₃.",
       "The book's shorter form, t₁ + N·t₂ + t₃, is the first half of it: it holds as long as t₂ is at least t₁.")
def once(lesson):
    run = lesson.run(wait="once", size=size_of(lesson))
    n, t1, t2, t3 = stages(run)
    assert abs(run["total_ns"] - max(t1 + n * t2, n * t1 + t2) - t3) <= n / 2  # t2 is rounded to a nanosecond
    assert (abs(run["total_ns"] - (t1 + n * t2 + t3)) <= n / 2) == (t2 >= t1 or n == 1)


@claim("Look at predicted and measured: they are equal.")
def predicted_is_measured(lesson):
    for wait in ("once", "each"):
        run = lesson.run(wait=wait, size=size_of(lesson))
        assert run["predicted_ns"] == run["total_ns"]


@claim("With two elements t₁ is longer than t₂, and the run is issue-bound.",
       "Set Elements of x to a million, and run it again. Now t₂ is longer than t₁, and the run is execution-bound.")
def the_regime_changes(lesson):
    needs(lesson["n"] >= 50, "with few steps the last stages decide")
    n = min(lesson["n"], 200)
    for size, regime in ((2, "issue-bound"), (TURN - 50_000, "issue-bound"), (TURN, "about equal"),
                         (TURN + 50_000, "execution-bound"), (1_000_000, "execution-bound")):
        run = lesson.run(wait="once", size=size, n=n)
        assert run["regime"] == regime
        assert regime == "about equal" or (run["t2_ns"] > run["t1_ns"]) == (regime == "execution-bound")
