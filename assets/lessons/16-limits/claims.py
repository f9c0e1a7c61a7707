from checking import claim, needs

LARGEST = {"batches": 50, "batch_size": 512, "features": 256, "hidden": 512}
TABS = ["python", "mxnet", "pytorch"]
LARGE = {"batch_size": 512, "hidden": 2048}


def large(lesson):
    return {**LARGE, "batches": min(lesson["batches"], 12)} if lesson.exact else {}


def enough(lesson):
    needs(lesson["batches"] >= 10, "few minibatches do not fill the queue")
    needs(not lesson.exact or lesson["features"] > 1, "an op with a single feature is soon done")


@claim("There are two more cures for a queue that grows without end.",
       "A limit on headway makes the frontend wait before it gets too far ahead.",
       "Look at the waits: those of the kind queue limit are neither barriers nor blockers.", "Headway never passes the limit.")
def a_queue_limit(lesson):
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    free, limited = (lesson.run(*options, **large(lesson)) for options in ((), ("--queue-limit 64",)))
    assert limited["headway_max"] <= 64
    assert {w["kind"] for w in limited.waits()} <= {"queue_limit", "waitall", "synchronize", "item"}
    enough(lesson)
    needs(free["headway_max"] > 200, "the queue is never that long")
    needs(limited["headway_max"] >= 64, "the backend keeps up")
    assert limited.waits("queue_limit") and not free.waits("queue_limit")
    needs(lesson.tab in ("", "python"), "MXNet and PyTorch have other free policies")
    assert limited["live_bytes_peak"] < free["live_bytes_peak"] or lesson["features"] == 1


@claim("A budget turns too much memory into an error that names the op and the line.")
def a_budget(lesson):
    free = lesson.run(**large(lesson))
    needs(free["live_bytes_peak"] > 16_000_000, "it fits into 8 MB")
    failed = lesson.run("--budget 8M", fails=True, **large(lesson))
    assert failed.status == 1
    assert "out of memory" in failed["error"]["message"]
    assert failed["error"]["op"] > 0 and failed["error"]["line"] > 0


@claim("On SIMULATED so small a network never fills the queue; with Batch size 512 and Hidden units 2048 it does.",
       devices=["simulated"])
def simulated(lesson):
    small = {"batch_size": 256, "hidden": 256, "features": 64}
    assert lesson.run(**small)["headway_max"] <= 2
    enough(lesson)
    assert lesson.run(**{**small, **LARGE, "batches": min(lesson["batches"], 12)})["headway_max"] > 64


@claim("MXNet (tab MXNet) takes memory only when an op starts, and so holds far less: with a budget of 800 kB the next wait "
       "gives the error.", devices=["cpu"])
def at_the_next_wait(lesson):
    needs(lesson.tab == "", "asked once")
    sizes = {"batches": 30, "batch_size": 256, "hidden": 256, "features": 64}
    assert 4 * lesson.run("--tab mxnet", **sizes)["live_bytes_peak"] < lesson.run(**sizes)["live_bytes_peak"]
    text = (lesson.folder / "train_mxnet.py").read_text("utf-8").splitlines()
    for device in ("cpu", "simulated"):
        failed = lesson.run(f"--tab mxnet --device {device} --budget 800K", fails=True, **sizes)
        assert failed.status == 1
        assert "out of memory" in failed["error"]["message"] and failed["error"]["op"] > 0
        assert "waitall()" in failed.err
        assert "waitall" not in text[failed["error"]["line"] - 1]  # the op's own line


@claim("PyTorch (tab PyTorch) waits for each op on the CPU; on SIMULATED it does not.")
def pytorch_on_the_cpu(lesson):
    needs(lesson.tab == "", "asked once")
    on_cpu, on_gpu = (lesson.run(f"--tab pytorch --device {device}") for device in ("cpu", "simulated"))
    assert len(on_cpu.waits("op_barrier")) > lesson["batches"] and not on_gpu.waits("op_barrier")
    assert on_cpu.waits("synchronize")[0]["caused_by_count"] == 0
