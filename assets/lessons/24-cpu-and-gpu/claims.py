from checking import claim, needs

LARGEST = {"batches": 10, "batch_size": 160, "features": 1024, "hidden": 512}
TABS = ["mxnet", "pytorch"]


def both(lesson):
    return [lesson.run(prepare=prepare) for prepare in ("ahead", "in turn")]


def busy_ns(run):
    """For how long each device had something to run: GPU, CPU."""
    cpu = max(op.lane for op in run.ops)
    totals = []
    for ops in ([op for op in run.ops if op.lane != cpu], [op for op in run.ops if op.lane == cpu]):
        total, end = 0, 0
        for op in sorted(ops, key=lambda op: op.begin_ns):
            total += max(op.end_ns - max(op.begin_ns, end), 0)
            end = max(end, op.end_ns)
        totals.append(total)
    return totals


@claim("The CPU prepares the minibatches, the GPU trains on them.", "Each has its lanes and its memory.",
       "Two devices need no barrier between them.")
def two_devices(lesson):
    run = lesson.run(prepare="ahead")
    gpu, cpu = run["devices"]
    assert (gpu["kind"], cpu["kind"]) == ("simulated", "cpu")
    assert not set(gpu["lanes"]) & set(cpu["lanes"])
    assert min(gpu["live_bytes_peak"], cpu["live_bytes_peak"]) > 0
    kinds = [w["kind"] for w in run.waits() if w["kind"] != "op_barrier"]  # PyTorch's, on the CPU
    assert kinds == ["synchronize" if lesson.tab == "pytorch" else "waitall", "item"]  # at the end, and for the loss


@claim("A copy waits for the lane that makes its values, and training waits for the copy.")
def what_waits(lesson):
    ops = lesson.run(prepare="ahead").ops
    by_number = {op.id: op for op in ops}
    copies = [op for op in ops if op.name == "copy_to_device"]
    assert len(copies) == lesson["batches"]
    for op in ops:
        assert all(by_number[number].end_ns <= op.begin_ns for number in op.reads if number in by_number)
    cpu = max(op.lane for op in ops)
    for copy in copies:
        assert any(by_number[number].lane == cpu for number in copy.reads)
        assert any(copy.id in op.reads and op.lane != cpu for op in ops)


@claim("While the GPU trains on one minibatch the CPU makes the next, and the total is close to that of the slower of the "
       "two.", "With in turn it is close to the sum of both.",
       "Look at the rows of the worker and of the streams with ahead, then with in turn.")
def slower_of_the_two_or_sum(lesson):
    needs(lesson.tab != "pytorch", "PyTorch waits for each op on the CPU")
    ahead, in_turn = both(lesson)
    needs(lesson["batches"] > 1, "there is no next one")
    needs(min(lesson["batch_size"], lesson["features"], lesson["hidden"]) >= 64, "issuing is slower than a device")
    assert ahead["total_ns"] < in_turn["total_ns"]
    assert max(busy_ns(ahead)) <= ahead["total_ns"] < (1.2 if lesson.tab else 1.15) * max(busy_ns(ahead))
    assert abs(in_turn["total_ns"] / sum(busy_ns(in_turn)) - 1) < 0.15


@claim("Then at the two memory rows: with ahead the CPU's memory also holds minibatches that wait to be copied, and "
       "the GPU's holds those that it has not trained on yet.", "A budget applies to each device separately.")
def memory(lesson):
    needs(lesson.tab == "", "MXNet and PyTorch have other free policies")
    ahead, in_turn = both(lesson)
    for one, other in zip(ahead["devices"], in_turn["devices"]):
        assert one["live_bytes_peak"] >= other["live_bytes_peak"]
    needs(lesson["batches"] > 1 and min(lesson["batch_size"], lesson["features"]) >= 64, "nothing waits")
    assert ahead["devices"][1]["live_bytes_peak"] > 1.5 * in_turn["devices"][1]["live_bytes_peak"]
    most = max(device["live_bytes_peak"] for device in in_turn["devices"])
    assert lesson.run(f"--budget {most}", prepare="in turn").status == 0


@claim("Which device is the slower one here?", "What would make it the other? (Try the hidden units.)")
def which_is_slower(lesson):
    for hidden, slower in ((1024, "cpu"), (4096, "gpu")):
        run = lesson.run(prepare="ahead", batches=4, batch_size=128, features=2048, hidden=hidden)
        gpu, cpu = busy_ns(run)
        assert ("cpu" if cpu > gpu else "gpu") == slower


@claim("On CPU there is no GPU, and the program says so at its first line that asks for one.", devices=["cpu"])
def no_gpu(lesson):
    run = lesson.run(fails=True)
    assert run.status == 3
    assert "gpu" in run.err.lower() and run["error"]["line"] > 0


@claim("PyTorch waits for each op on a CPU; meanwhile the GPU works.")
def pytorch_on_a_cpu(lesson):
    needs(lesson.tab == "", "asked once")
    needs(lesson["batches"] > 1, "there is nothing to train on meanwhile")
    run = lesson.run("--tab pytorch", prepare="ahead")
    cpu = max(op.lane for op in run.ops)
    on_cpu = [op for op in run.ops if op.lane == cpu]
    assert len(run.waits("op_barrier")) == len(on_cpu) == 4 * lesson["batches"]
    assert all(w["caused_by_count"] == 1 for w in run.waits("op_barrier"))
    needs(min(lesson["batch_size"], lesson["features"], lesson["hidden"]) >= 64, "the GPU is done at once")
    on_gpu = [op for op in run.ops if op.lane != cpu]
    assert any(a.begin_ns < b.end_ns and b.begin_ns < a.end_ns for a in on_cpu for b in on_gpu)


@claim("The frontend issues nothing during these waits, so less of the work overlaps.")
def less_overlap_in_pytorch(lesson):
    needs(lesson.tab == "", "asked once")
    needs(lesson["batches"] > 1, "there is nothing to train on meanwhile")
    needs(min(lesson["batch_size"], lesson["features"], lesson["hidden"]) >= 64, "the GPU is done at once")
    run = lesson.run("--tab pytorch", prepare="ahead")
    for wait in run.waits("op_barrier"):
        assert not any(0 < op.issue_end_ns - wait["begin_ns"] < wait["ns"] for op in run.ops)
    assert run.overlap_ns() < lesson.run(prepare="ahead").overlap_ns()


@claim("MXNet takes memory when an op starts, so the two memories do not grow with ahead in its tab.")
def mxnet_memory(lesson):
    needs(lesson.tab == "", "asked once")
    ahead, in_turn = (lesson.run("--tab mxnet", prepare=prepare) for prepare in ("ahead", "in turn"))
    assert ahead["settings"]["free_policy"] == "lazy"
    for one, other in zip(ahead["devices"], in_turn["devices"]):
        assert one["live_bytes_peak"] < 1.1 * other["live_bytes_peak"]
