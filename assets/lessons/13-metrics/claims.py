from checking import claim, needs

LARGEST = {"batches": 60}
TABS = ["mxnet", "pytorch"]


def both(lesson):
    return [lesson.run(report=report) for report in ("each", "end")]


def mean(run):
    return float(run.out.splitlines()[-1].split(":")[1])


@claim("Printing the loss in the loop waits in every minibatch.",
       "Keeping the losses as tensors and reducing them after the loop waits once, and gives the same numbers.",
       "Look at the number of waits: with end there is one, with each one more than there are minibatches.",
       devices=["simulated", "cpu"])
def waits(lesson):
    needs(lesson["batches"] > 1, "one loss is reduced by itself")
    needs(lesson.asynchronous, "PyTorch waits for each op on the cpu")
    each, end = both(lesson)
    assert ([w["kind"] for w in each.waits()], [w["kind"] for w in end.waits()]) == (
        ["item"] * (lesson["batches"] + 1), ["item"])
    assert mean(each) == mean(end)
    losses = [float(line.split(":")[1]) for line in each.out.splitlines()[:-1]]
    assert abs(sum(losses) / len(losses) - mean(end)) < 2e-4


@claim("With each headway falls to zero in every minibatch; with end it climbs to more than a hundred ops, and the total is "
       "a fifth shorter.")
def headway(lesson):
    each, end = both(lesson)
    for wait in each.waits():
        # What the loss does not need, the update of the weights, is all that may be left.
        assert each.headway_at(wait["begin_ns"] + wait["ns"]) == 0
    needs(lesson["batches"] >= 20, "few minibatches do not fill the queue")
    assert end["headway_max"] > 100
    assert 0.7 < end["total_ns"] / each["total_ns"] < 0.85
