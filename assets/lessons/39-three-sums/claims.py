from checking import claim, needs

GPUS = 4
BUS = {"PCIe to the GPUs", "PCIe to the host"}


def on_bus(numbers):
    return round(10_000 + 4 * numbers / 12.5)


def on_nvlink(numbers):
    return round(5_000 + 4 * numbers / 100)


def numbers(lesson):
    return lesson["megabytes"] * 250_000


def named(run, name):
    return [op for op in run.ops if op.name == name]


def copies_of(run):
    return named(run, "copy_to_device") + named(run, "copy_to_host")


def taken(op):
    return op.end_ns - op.begin_ns


def link(run, name):
    return next(link for link in run["links"] if link["name"] == name)


def as_in_the_text(lesson):
    needs(lesson["megabytes"] == 160, "the text's numbers are those of 160 MB")


@claim("Each of four GPUs has a gradient of 160 MB and needs the sum of all.")
def the_sum(lesson):
    for way in ("one GPU", "CPU", "ring"):
        run = lesson.run(way=way)
        assert run["settings"]["gpus"] == GPUS
        assert run.out.splitlines()[-1] == f"sums: {GPUS * (GPUS + 1) / 2}"


@claim("How long the sum takes can be worked out from what each link has to carry.",
       "With one GPU the slowest link decides: no NVLink joins GPU 2 to the first GPU, so its gradient and the sum go over the "
       "bus, in two copies of 12.8 ms.")
def one_gpu(lesson):
    run = lesson.run(way="one GPU")
    assert len(copies_of(run)) == 2 * (GPUS - 1)
    for name in BUS:
        assert link(run, name)["copies"] == 2 and link(run, name)["bytes"] == 2 * 4 * numbers(lesson)
        assert link(run, name)["busy_ns"] == 2 * on_bus(numbers(lesson))
    for other in (1, 3):
        for name in (f"NVLink 0 → {other}", f"NVLink {other} → 0"):
            assert link(run, name)["busy_ns"] == on_nvlink(numbers(lesson))
    assert sum(link["copies"] for link in run["links"]) == 2 * 2 + 4
    # Two copies over the bus, and before the second one at most three additions.
    adds = sum(map(taken, named(run, "add_")))
    assert 2 * on_bus(numbers(lesson)) < run.scope("all-reduce") < 2 * on_bus(numbers(lesson)) + adds + 20_000
    as_in_the_text(lesson)
    assert round(on_bus(numbers(lesson)) / 1e6, 1) == 12.8


@claim("With CPU the bus carries eight such copies, and the CPU adds three times, at 10 GB/s for two gradients read and one "
       "written: 48 ms each.")
def the_cpu(lesson):
    run = lesson.run(way="CPU")
    assert [taken(op) for op in copies_of(run)] == [on_bus(numbers(lesson))] * 2 * GPUS
    for name in BUS:
        assert link(run, name)["copies"] == GPUS
    assert sum(link["copies"] for link in run["links"]) == 2 * GPUS
    add = round(1_000 + 3 * 4 * numbers(lesson) / 10)
    assert [taken(op) for op in named(run, "add_")] == [add] * (GPUS - 1)
    as_in_the_text(lesson)
    assert round(add / 1e6) == 48


@claim("With ring there are six steps, and in each of them all links of the ring carry a quarter of a gradient, for 0.405 ms.")
def the_ring(lesson):
    run = lesson.run(way="ring")
    step = on_nvlink(numbers(lesson) // GPUS)
    used = {link["name"] for link in run["links"] if link["copies"]}
    assert used == {f"NVLink {gpu} → {(gpu + 1) % GPUS}" for gpu in range(GPUS)}
    for name in used:
        assert link(run, name)["copies"] == 6 and link(run, name)["busy_ns"] == 6 * step
    adds = 3 * taken(named(run, "add_")[0])
    assert 6 * step + adds <= run.scope("all-reduce")
    needs(lesson["megabytes"] >= 8, "the issue of small copies takes as long as they do")
    assert run.scope("all-reduce") < 6 * step + adds + 60_000
    moments = sorted({op.begin_ns for op in copies_of(run)})
    assert any(sum(op.begin_ns <= ns < op.end_ns for op in copies_of(run)) == GPUS for ns in moments)
    as_in_the_text(lesson)
    assert step == 405_000


@claim("Look at the rows of the links.",
       "With one GPU the bus is busy for 25.6 ms of 26.3 ms.")
def the_bus(lesson):
    as_in_the_text(lesson)
    run = lesson.run(way="one GPU")
    assert round(link(run, "PCIe to the host")["busy_ns"] / 1e6, 1) == 25.6
    assert round(run.scope("all-reduce") / 1e6, 1) == 26.3


@claim("With CPU the total is 221 ms, with ring 2.7 ms, and no copy uses the bus.")
def the_totals(lesson):
    cpu, ring = lesson.run(way="CPU"), lesson.run(way="ring")
    assert all(link(ring, name)["copies"] == 0 for name in BUS)
    adds, back = named(cpu, "add_"), named(cpu, "copy_to_device")
    arrived = sorted(op.end_ns for op in named(cpu, "copy_to_host"))
    assert arrived[1] <= adds[0].begin_ns < arrived[2] and adds[2].end_ns <= min(op.begin_ns for op in back)
    parts = (2 + GPUS) * taken(back[0]) + 3 * taken(adds[0])  # two gradients arrive, three additions, four sums go back
    assert len(back) == GPUS and parts <= cpu.scope("all-reduce") < parts + 40_000
    as_in_the_text(lesson)
    assert round(cpu.scope("all-reduce") / 1e6) == 221
    assert round(ring.scope("all-reduce") / 1e6, 1) == 2.7


@claim("With one GPU send the gradients in four parts, too.", "Does the bus have less to carry?")
def parts_carry_as_much(lesson):
    ring = lesson.run("--links pcie", way="ring")  # in parts, and all of them over the bus
    one = lesson.run("--links pcie", way="one GPU")
    for name in BUS:
        assert link(ring, name)["bytes"] == link(one, name)["bytes"] == 6 * 4 * numbers(lesson)


@claim("Under Engine take 3 GPUs: NVLink joins them all.", "What does one GPU take then?")
def without_the_bus(lesson):
    run = lesson.run("--gpus 3", way="one GPU")
    assert all(link(run, name)["copies"] == 0 for name in BUS)
    needs(lesson["megabytes"] >= 8, "of small copies the latencies count")
    assert run.scope("all-reduce") < 0.2 * lesson.run(way="one GPU").scope("all-reduce")


@claim("On CPU there is no GPU, and the program says so.", devices=["cpu"])
def no_gpu(lesson):
    run = lesson.run(fails=True)
    assert run.status != 0 and run["error"]["line"] > 0
