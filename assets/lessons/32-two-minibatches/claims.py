from checking import claim, needs

LARGEST = {"batches": 30, "pause": 600}
TABS = ["mxnet", "pytorch"]
EACH = 5  # ops of a minibatch: randn, matmul, relu, mul, mean


def gaps(run):
    """Time in ns in which the stream had nothing to do, between its first and its last op."""
    return sum(after.begin_ns - before.end_ns for before, after in zip(run.ops, run.ops[1:]))


def several(lesson):
    needs(lesson["batches"] >= 8, "the queue is not filled before the last pause")


@claim("The backend may be a number of minibatches behind the frontend.", "After every fourth minibatch the frontend pauses.")
def the_program(lesson):
    run = lesson.run()
    assert [op.name for op in run.ops[:EACH]] == ["normal", "matmul", "relu", "mul", "mean"]
    assert len(run.ops) == EACH * lesson["batches"]
    assert run["headway_max"] <= EACH * (lesson["behind"] + 1)
    last, following = run.ops[EACH * 4 - 1 : EACH * 4 + 1] if lesson["batches"] > 4 else (None, None)
    assert last is None or following.issue_begin_ns - last.issue_end_ns >= lesson["pause"] * 1000


@claim("One minibatch in the queue is enough for a frontend that is always faster than the backend.",
       "A second one saves no time then, and keeps the tensors of one more minibatch in memory.",
       "With Pause in µs on 0 both take equally long.")
def without_a_pause(lesson):
    needs(lesson["batches"] > 2, "there is no third minibatch")
    one, two = (lesson.run(pause=0, behind=behind) for behind in (1, 2))
    issuing = sum(op.issue_end_ns - op.issue_begin_ns for op in one.ops)
    assert issuing < 0.5 * sum(op.end_ns - op.begin_ns for op in one.ops)
    assert gaps(one) - gaps(two) == one["total_ns"] - two["total_ns"] == 0
    assert lesson.tab != "" or two["live_bytes_peak"] > one["live_bytes_peak"]


@claim("It helps if the frontend is sometimes late: while the frontend pauses, the stream executes what is in the "
       "queue.",
       "Look at the stream during every pause, and at the memory's peak.",
       "With Behind on 1 the stream is idle for a part of the pause; with 2 it is not, the run is shorter, and the "
       "peak is 14.7 MB higher.")
def with_a_pause(lesson):
    several(lesson)
    one, two = (lesson.run(pause=150, behind=behind) for behind in (1, 2))
    pauses = (lesson["batches"] - 1) // 4
    dry = [after.begin_ns - before.end_ns for before, after in zip(one.ops, one.ops[1:]) if after.begin_ns > before.end_ns]
    assert sum(ns > 30_000 for ns in dry) == pauses
    assert gaps(two) < 0.1 * gaps(one)
    assert two["total_ns"] < one["total_ns"] - pauses * 30_000
    needs(lesson.tab == "", "MXNet and PyTorch have other free policies")
    assert round((two["live_bytes_peak"] - one["live_bytes_peak"]) / 1e6, 1) == 14.7


@claim("How many minibatches behind does the stream need now?")
def a_longer_pause(lesson):
    several(lesson)
    totals = [lesson.run(pause=300, behind=behind)["total_ns"] for behind in (1, 2, 3, 4)]
    assert totals[0] > totals[1] > totals[2] and totals[3] > 0.98 * totals[2]


@claim("In the tabs MXNet and PyTorch the peak stays the same: there memory is taken when an op starts, or reused in the order "
       "of the stream.")
def other_policies(lesson):
    needs(lesson.tab == "", "asked once")
    for tab, policy in (("mxnet", "lazy"), ("pytorch", "stream")):
        one, two = (lesson.run(f"--tab {tab}", behind=behind) for behind in (1, 2))
        assert one["settings"]["free_policy"] == policy
        assert one["live_bytes_peak"] == two["live_bytes_peak"]
