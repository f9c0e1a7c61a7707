from statistics import median

from checking import claim, needs

LARGEST = {"size": 1000, "products": 50}
TABS = ["mxnet", "pytorch"]


def times(run, lesson):
    return [run.printed(f"product {i + 1}") for i in range(lesson["products"])]


@claim("On a real machine the first product of this size takes longer than the later ones.",
       "Look at the first two products on the worker's lane, after the op that makes `a`, and the ones after them.",
       devices=["cpu"])
def the_first_takes_longer(lesson):
    needs(lesson.tab == "", "it is about the machine, not the framework")
    needs(lesson["size"] <= 600 and lesson["products"] >= 6, "in longer or fewer products it is lost in the noise")
    ratio = lesson.median(lambda run: times(run, lesson)[0] / median(times(run, lesson)[2:]), count=7)
    assert ratio > 1


@claim("So a measurement starts after the first ones: here the first two products are warm-up, and the run's numbers "
       "count only the products after them.",
       "The first two lie left of zero, greyed as warm-up: press A to go there.")
def two_are_warm_up(lesson):
    run = lesson.run()
    assert run["ops"] == len(run.waits("wait_to_read", "synchronize")) == lesson["products"] - 2
    assert run["warmup_ns"] > 0
    assert all(op.issue_begin_ns >= run.begin_ns for op in run.ops)
    assert run.ops[0].id == 4  # randn and two products come before


@claim("The program prints the times of all products, those of the warm-up among them.")
def all_are_printed(lesson):
    assert len(times(lesson.run(), lesson)) == lesson["products"]


@claim("On SIMULATED all products take the same time, as a cost model has nothing to warm up.", devices=["simulated"])
def a_cost_model_is_warm(lesson):
    assert len(set(times(lesson.run(), lesson))) == 1
