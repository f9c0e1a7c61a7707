from checking import claim, needs

LARGEST = {"batches": 50, "batch_size": 160, "features": 600, "hidden": 300}
TABS = ["python", "mxnet", "pytorch"]
LARGE = {"batch_size": 512, "hidden": 2048, "features": 512, "lr": 0.01}  # what the text recommends for simulated


def run(lesson, barrier, *options, **more):
    if lesson.exact:  # as so small a network never fills the queue there
        more = {**LARGE, "batches": min(lesson["batches"], 12), **more}
    return lesson.run(f"--barrier {barrier}", *options, **more)


def takes_memory_at_issue(lesson):
    needs(lesson.tab in ("", "python"), "MXNet and PyTorch have other free policies")


def per_batch(run, lesson):
    """The ops of a minibatch."""
    return run["ops"] // (min(lesson["batches"], 12) if lesson.exact else lesson["batches"])


def enough(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    needs(lesson["batches"] >= 10, "few minibatches do not pile up")
    needs(min(lesson["batch_size"], lesson["hidden"], lesson["features"]) >= 64 or lesson.exact,
          "tiny tensors are done as fast as they are issued")


@claim("Without a barrier the frontend runs far ahead.",
       "Tensors stay in memory until the last op that needs them has been executed: inputs, activations and gradients "
       "of many minibatches pile up.",
       "Look at the peak of the live bytes with the barrier on None and on Minibatch, and at the two totals.")
def memory_piles_up(lesson):
    enough(lesson)
    none, minibatch = run(lesson, "none"), run(lesson, "minibatch")
    assert none["headway_max"] > 5 * minibatch["headway_max"]
    assert none["ops"] == minibatch["ops"]
    takes_memory_at_issue(lesson)
    assert none["live_bytes_peak"] > 3 * minibatch["live_bytes_peak"]


@claim("A barrier per minibatch keeps frontend and backend together, and costs little time.")
def a_barrier_costs_little(lesson):
    minibatch = run(lesson, "minibatch")
    waits = minibatch.waits("minibatch_barrier")
    assert len(waits) == minibatch["ops"] // per_batch(minibatch, lesson)
    for wait in waits[:10]:  # the frontend begins with the next minibatch after it
        assert minibatch.headway_at(wait["begin_ns"] + wait["ns"]) == 0
    enough(lesson)
    large = {**LARGE, "batches": 12} if lesson.exact else {}
    none, minibatch = (lesson.median(lambda r: r["total_ns"], f"--barrier {b}", count=3, **large)
                       for b in ("none", "minibatch"))
    assert minibatch < (1.1 if lesson.exact else 3) * none


@claim("Then take 1 behind: the frontend may be one minibatch ahead, so the backend still has work when a wait ends, and "
       "memory stays bounded.")
def one_behind(lesson):
    enough(lesson)
    none, behind = run(lesson, "none"), run(lesson, "behind:1")
    waits = behind.waits("minibatch_barrier")
    busy = sum(behind.headway_at(wait["begin_ns"] + wait["ns"]) > 0 for wait in waits)
    assert busy >= (0.9 if lesson.exact else 0.3) * len(waits)
    assert behind["headway_max"] <= 2 * per_batch(behind, lesson)
    takes_memory_at_issue(lesson)
    assert behind["live_bytes_peak"] < 0.7 * none["live_bytes_peak"]


@claim("On the CPU the barrier can even save time: without it many tensors take memory that the run has not used "
       "before.",
       devices=["cpu"])
def fresh_memory(lesson):
    enough(lesson)
    takes_memory_at_issue(lesson)
    assert run(lesson, "none")["reserved_bytes_peak"] > 2 * run(lesson, "minibatch")["reserved_bytes_peak"]


@claim("Two other cures: a queue limit of 64, which stops the frontend at 64 unfinished ops, and the free policy "
       "stream, which gives memory back in the order of issue.",
       "And with the barrier on None a budget of 32 MiB, which turns the spike into an error that names its line.")
def other_cures(lesson):
    enough(lesson)
    none = run(lesson, "none")
    limited = run(lesson, "none", "--queue-limit 64")
    assert limited["headway_max"] <= 64 and limited.waits("queue_limit")
    takes_memory_at_issue(lesson)
    assert limited["live_bytes_peak"] < none["live_bytes_peak"]
    assert run(lesson, "none", "--free-policy stream")["live_bytes_peak"] < 0.5 * none["live_bytes_peak"]
    needs(none["live_bytes_peak"] > 1.2 * (32 << 20), "it fits")
    failed = run(lesson, "none", "--budget 32M", fails=True)
    assert failed.status == 1
    assert "out of memory" in failed["error"]["message"] and failed["error"]["line"] > 0


@claim("On the simulated GPU so small a network is issue-bound: each op has ended before the next one is issued, nothing "
       "piles up, and a barrier costs its t₃ in each minibatch.", devices=["simulated"])
def small_on_simulated(lesson):
    sizes = {"batch_size": 128, "hidden": 256, "features": 512}
    none, minibatch = (lesson.run(f"--barrier {b}", **sizes) for b in ("none", "minibatch"))
    assert max(none["headway_max"], minibatch["headway_max"]) <= 2
    assert none["live_bytes_peak"] == minibatch["live_bytes_peak"]
    cost = (minibatch["total_ns"] - none["total_ns"]) / lesson["batches"]
    assert minibatch["t3_ns"] <= cost < 1.5 * minibatch["t3_ns"]


@claim("With Batch size 512 and Hidden units 2048 the memory piles up there, too, and the barrier costs a twentieth of the "
       "time.", devices=["simulated"])
def large_on_simulated(lesson):
    needs(lesson.tab == "", "asked once: the runs compute for seconds")
    none, minibatch = (lesson.run(f"--barrier {b}", batches=40, **LARGE) for b in ("none", "minibatch"))
    assert none["live_bytes_peak"] > 10 * minibatch["live_bytes_peak"]
    assert 1.04 < minibatch["total_ns"] / none["total_ns"] < 1.06


@claim("In the tabs MXNet and PyTorch headway grows there, and the memory does not: MXNet takes a tensor's memory when its "
       "op starts, PyTorch reuses it in the order of its stream.",
       "With the free policy finish it piles up as well.", devices=["simulated"])
def other_policies(lesson):
    needs(lesson.tab == "" and lesson["batches"] >= 10, "asked once")
    for tab, policy in (("mxnet", "lazy"), ("pytorch", "stream")):
        none, minibatch = (run(lesson, barrier, f"--tab {tab}") for barrier in ("none", "minibatch"))
        assert none["settings"]["free_policy"] == policy
        assert none["headway_max"] > 5 * minibatch["headway_max"]
        assert none["live_bytes_peak"] < 1.1 * minibatch["live_bytes_peak"]
        none, minibatch = (run(lesson, barrier, f"--tab {tab} --free-policy finish") for barrier in ("none", "minibatch"))
        assert none["live_bytes_peak"] > 3 * minibatch["live_bytes_peak"]
