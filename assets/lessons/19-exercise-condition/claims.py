from checking import claim, needs

LARGEST = {"n": 5000}
TABS = ["python", "mxnet", "pytorch"]
COSTS = "--costs t1={}ns,t2={}ns,t3=1050ns,line=0ns"


def total(lesson, t1=1000, t2=950):
    run = lesson.run(COSTS.format(t1, t2), wait="once")
    assert (run["t1_ns"], run["t2_ns"], run["t3_ns"], run["settings"]["streams"]) == (t1, t2, 1050, 1)
    return run["total_ns"]


@claim("Here t₁ = 1 µs, t₂ = 0.95 µs and t₃ = 1.05 µs, and the program's own lines take no time.",
       "With ten steps the condition holds: 9.5 > 9.", "Is the total 10.5 µs + t₃ = 11.55 µs, as the book says?",
       "So the last issue decides: the total is N·t₁ + t₂ + t₃ = 10.95 µs + t₃ = 12.0 µs.")
def the_case(lesson):
    run = lesson.run(wait="once", n=10)
    assert (run["t1_ns"], run["t2_ns"], run["t3_ns"]) == (1000, 950, 1050)
    assert 10 * 950 > 9 * 1000
    assert 1000 + 10 * 950 + 1050 == 11_550
    assert run["total_ns"] == 10_950 + 1050 == 10 * 1000 + 950 + 1050 == 12_000
    assert sum(op.issue_end_ns - op.issue_begin_ns for op in run.ops) == run.ops[-1].issue_end_ns - run.begin_ns


@claim("Look at the gaps on the stream's lane: the backend has nothing to do until the next op has been issued.")
def gaps(lesson):
    ops = lesson.run(wait="once").ops
    for before, after in zip(ops, ops[1:]):
        assert before.end_ns < after.issue_end_ns == after.begin_ns


@claim("The larger of the two is always right: max(t₁ + N·t₂, N·t₁ + t₂) + t₃.",
       "The book's form is exact when t₂ is at least t₁.")
def the_larger(lesson):
    n = lesson["n"]
    for t2 in (500, 950, 1000, 1050, 2000):
        assert total(lesson, t2=t2) == max(1000 + n * t2, n * 1000 + t2) + 1050
        assert (total(lesson, t2=t2) == 1000 + n * t2 + 1050) == (t2 >= 1000 or n == 1)


@claim("Under Engine, take other costs: `t1=1us,t2=2us,t3=1us,line=0us`.", "Then the book's form is exact.")
def other_costs(lesson):
    assert lesson.run("--costs t1=1us,t2=2us,t3=1us,line=0us", wait="once")["total_ns"] == 1000 + lesson["n"] * 2000 + 1000
