from checking import claim, needs

LARGEST = {"size": 600, "pairs": 15}
TABS = ["mxnet", "pytorch"]


def both(lesson, *options, **parameters):
    needs(lesson.tab != "pytorch", "PyTorch has one stream")
    return [lesson.run(*options, depend=depend, **parameters) for depend in ("independent", "chain")]


def long_products(lesson):
    needs(lesson["size"] >= 300, "small products are done before the next is issued")


@claim("The backend follows dependencies, and only these.", "Independent ops use all streams.",
       "Dependent ones cannot, however many streams there are.")
def only_dependencies_count(lesson):
    needs(lesson.tab != "pytorch", "PyTorch has one stream")
    for streams in (2, 4):
        chain = lesson.run(f"--streams {streams}", depend="chain")
        assert chain.overlap_ns() == 0
        for before, after in zip(chain.ops, chain.ops[1:]):
            assert before.id in after.reads and before.end_ns <= after.begin_ns
    long_products(lesson)
    needs(lesson["pairs"] > 1, "one pair is two ops")
    for streams in (2, 4):
        independent = lesson.run(f"--streams {streams}", depend="independent", size=max(lesson["size"], 600))
        assert independent.lanes_used() == min(streams, len(independent.ops))
        assert independent.overlap_ns() > 0.5 * independent["total_ns"]


@claim("Look at the two streams' rows with independent, then with chain.",
       "A product of 400 rows does not keep the whole device busy all the time: two of them share it, each takes "
       "longer, and yet the total is shorter than that of the chain.")
def two_share_the_device(lesson):
    needs(lesson["pairs"] > 1, "one pair is soon done")
    independent, chain = both(lesson, size=400)
    assert independent["ops"] == chain["ops"] == 2 * lesson["pairs"]
    assert independent["t2_ns"] > chain["t2_ns"]
    assert independent["total_ns"] < (0.8 if lesson["pairs"] >= 6 else 1) * chain["total_ns"]


@claim("1,500 rows: one product alone fills the device.",
       "Two streams are busy side by side, each product takes twice as long, and the total is hardly shorter.",
       "Then 100 rows: two streams, and no overlap, because issuing a product now takes longer than executing it.")
def large_and_small(lesson):
    independent, chain = both(lesson, size=1500, pairs=min(lesson["pairs"], 6))
    assert independent.overlap_ns() > 0.9 * independent["total_ns"] or lesson["pairs"] == 1
    assert independent["t2_ns"] > 1.9 * chain["t2_ns"]
    assert 0.95 < independent["total_ns"] / chain["total_ns"] <= 1
    independent, chain = both(lesson, size=100)
    assert independent.overlap_ns() == 0
    assert independent["t2_ns"] < independent["t1_ns"]
    assert independent["total_ns"] == chain["total_ns"]


@claim("PyTorch puts all ops into one stream if the program does not ask for another: in its tab independent takes as long as "
       "chain.")
def one_stream(lesson):
    needs(lesson.tab == "", "asked once")
    independent, chain = (lesson.run("--tab pytorch", depend=depend) for depend in ("independent", "chain"))
    assert independent.lanes_used() == chain.lanes_used() == independent["settings"]["streams"] == 1
    assert independent.overlap_ns() == 0
    assert not any(op.reads & {o.id for o in independent.ops} for op in independent.ops)
    assert independent["total_ns"] == chain["total_ns"]
