from checking import claim, needs, waits_for_each_op

LARGEST = {"size": 600, "steps": 60}
TABS = ["mxnet", "pytorch"]


def peaks(lesson, **parameters):
    policies = ["finish", "stream"] if lesson.real_torch else ["finish", "stream", "lazy"]  # PyTorch refuses lazy
    runs = {policy: lesson.run(f"--free-policy {policy}", **parameters) for policy in policies}
    peaks = {policy: run["live_bytes_peak"] for policy, run in runs.items()}
    return runs, {"lazy": 0, **peaks}


@claim("How much piles up depends on when the memory of a dropped tensor can be used again. With finish that is when "
       "the last op that reads it has finished; with stream it is at once, by ops that are issued later. With lazy an "
       "op takes its memory only when it starts.",
       "Look at the memory curve under each free policy.", "The ops are the same each time.",
       "With finish the peak grows with the number of steps; with stream and lazy it stays at a few matrices.")
def what_piles_up(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    matrix = 4 * lesson["size"] ** 2
    runs, peak = peaks(lesson)
    assert len({run["ops"] for run in runs.values()}) == 1
    assert max(peak["stream"], peak["lazy"]) <= 8 * max(matrix, 4)
    needs(lesson["steps"] >= 20, "few steps do not pile up")
    needs(lesson["size"] >= 400, "small matrices are done when the next are issued")
    assert peak["finish"] > 2 * max(peak["stream"], peak["lazy"])
    assert peak["finish"] > 1.3 * lesson.run("--free-policy finish", steps=lesson["steps"] // 2)["live_bytes_peak"]


@claim("On SIMULATED the total is the same, too.", devices=["simulated"])
def the_same_total(lesson):
    runs, _ = peaks(lesson)
    assert len({run["total_ns"] for run in runs.values()}) == 1


@claim("On the CPU it need not be: with finish the run takes more memory that it has not used before.", devices=["cpu"])
def fresh_memory(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    needs(lesson["steps"] >= 20 and lesson["size"] >= 400, "little piles up")
    finish, stream = (lesson.run(f"--free-policy {policy}") for policy in ("finish", "stream"))
    assert finish["reserved_bytes_peak"] > 2 * stream["reserved_bytes_peak"]


@claim("MXNet's own policy is lazy, PyTorch's is stream.")
def their_own(lesson):
    needs(lesson.tab == "", "asked once")
    for tab, policy in (("mxnet", "lazy"), ("pytorch", "stream")):
        run = lesson.run(f"--tab {tab}")
        assert run["settings"]["free_policy"] == policy
        assert run["live_bytes_peak"] == lesson.run(f"--tab {tab} --free-policy {policy}")["live_bytes_peak"] or not lesson.exact


@claim("PyTorch (tab PyTorch) waits for each op on the CPU; on SIMULATED it does not.")
def pytorch_on_the_cpu(lesson):
    needs(lesson.tab == "", "asked once")
    assert waits_for_each_op(lesson, "pytorch")
