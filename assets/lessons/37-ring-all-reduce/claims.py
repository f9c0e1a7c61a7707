from checking import claim, needs

LARGEST = {"size": 8_000_000}


def copies_of(run):
    return [op for op in run.ops if op.name == "copy_to_device"]


def large(lesson):
    needs(lesson["size"] >= 1_000_000, "of small gradients the latencies are all that counts")


def ring_links(run):
    n = run["settings"]["gpus"]
    names = [f"NVLink {gpu} → {(gpu + 1) % n}" for gpu in range(n)]
    return [link for name in names for link in run["links"] if link["name"] == name]


@claim("Each GPU has a gradient of the same size, and in the end each must have the sum of all.")
def the_sum(lesson):
    for gpus in (2, 3, 4, 8):
        for way in ("ring", "one GPU"):
            assert lesson.run(f"--gpus {gpus}", way=way).out.splitlines()[-1] == f"sums: {gpus * (gpus + 1) / 2}"


@claim("With ring all links of the ring are busy at the same time, and each GPU sends less than twice its gradient, however "
       "many GPUs there are.")
def all_links(lesson):
    needs(lesson["size"] >= 800, "a part has at least one number")
    for gpus in (2, 4, 8):
        run = lesson.run(f"--gpus {gpus}", way="ring")
        links = ring_links(run)
        part = lesson["size"] // gpus * 4
        assert len(links) == gpus and len({link["busy_ns"] for link in links}) == 1
        for link in links:
            assert link["copies"] == 2 * (gpus - 1) and link["bytes"] == 2 * (gpus - 1) * part < 2 * 4 * lesson["size"]
        large(lesson)
        moments = sorted({op.begin_ns for op in copies_of(run)})
        assert any(sum(op.begin_ns <= ns < op.end_ns for op in copies_of(run)) == gpus for ns in moments)
        assert links[0]["busy_ns"] > 0.5 * run.scope("all-reduce")


@claim("So with 8 GPUs it takes less than 3 times as long as with 2.")
def does_not_grow(lesson):
    large(lesson)
    two, eight = (lesson.run(f"--gpus {gpus}", way="ring").scope("all-reduce") for gpus in (2, 8))
    assert two < eight < 3 * two


@claim("With one GPU the links of the first GPU and the bus carry everything, and 8 GPUs take more than 10 times as long as 2.")
def one_gpu_grows(lesson):
    large(lesson)
    run = lesson.run("--gpus 8", way="one GPU")
    used = {link["name"] for link in run["links"] if link["copies"]}
    assert used == {"NVLink 0 → 1", "NVLink 1 → 0", "NVLink 0 → 7", "NVLink 7 → 0", "PCIe to the GPUs", "PCIe to the host"}
    assert run.scope("all-reduce") > 10 * lesson.run("--gpus 2", way="one GPU").scope("all-reduce")


@claim("Look at the rows of the links, with ring and with one GPU: there the bus is busy nearly all the time, and most of the "
       "ring carries nothing.")
def the_bus(lesson):
    large(lesson)
    run = lesson.run(way="one GPU")
    bus = next(link for link in run["links"] if link["name"] == "PCIe to the GPUs")
    assert bus["busy_ns"] > 0.8 * run.scope("all-reduce")
    ring = [link for link in run["links"] if link["name"].startswith("NVLink")]
    assert sum(link["copies"] > 0 for link in ring) <= len(ring) / 2


@claim("The latencies are what grows with the number of GPUs: a ring of n has 2(n − 1) steps.",
       "For small gradients they are all that counts.")
def latencies(lesson):
    for gpus in (2, 4, 8):
        run = lesson.run(f"--gpus {gpus}", way="ring")
        assert len(copies_of(run)) == 2 * (gpus - 1) * gpus
    small = lesson.run("--gpus 8", way="ring", size=800)
    assert small.scope("all-reduce") >= 14 * 5_000


@claim("On CPU there is no GPU, and the program says so.", devices=["cpu"])
def no_gpu(lesson):
    run = lesson.run(fails=True)
    assert run.status != 0 and run["error"]["line"] > 0
