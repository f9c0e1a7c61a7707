from checking import busy_share, claim, needs

LARGEST = {"n": 3000}
LINES_NS = 3 * 100  # of Python in a step: for, y = x + 1, if


def both(lesson, *options, **parameters):
    return [lesson.run(tab, *options, **parameters) for tab in ("", "--tab python")]


@claim("While the backend is busy, the language of the frontend hardly matters.",
       "It matters as soon as the backend has to wait for the next op.", devices=["simulated"])
def language_matters_when_the_backend_runs_dry(lesson):
    n = lesson["n"]
    cxx, python = both(lesson, wait="once", size=100000)
    assert abs(python["total_ns"] - cxx["total_ns"]) <= 2000
    cxx, python = both(lesson, wait="once", size=2)
    assert abs(python["total_ns"] - cxx["total_ns"] - n * LINES_NS) <= 1000
    assert cxx["t1_ns"] == python["t1_ns"]


@claim("Look at t₁ of both runs: on the CPU Python's is several times as long.", devices=["cpu"])
def pythons_t1(lesson):
    needs(lesson["n"] >= 1000, "the first steps have a t₁ of their own")
    cxx, python = (lesson.least(lambda run: run["t1"]["median_ns"], tab, wait="once") for tab in ("", "--tab python"))
    assert python > 2 * cxx


@claim("With 20,000 elements the worker is busy nearly all the time in both languages, because t₂ is "
       "longer still.", devices=["cpu"])
def the_worker_is_busy(lesson):
    needs(lesson["n"] >= 1000, "the first steps wake the worker up")
    for tab in ("", "--tab python"):
        run = lesson.run(tab, wait="once", size=20000)
        assert run["language"] == ("Python" if tab else "C++")
        assert run["t2_ns"] > run["t1_ns"]
        assert lesson.most(busy_share, tab, wait="once", size=20000) > 0.6


@claim("Two elements on the CPU: the worker waits for the frontend.", devices=["cpu"])
def two_elements(lesson):
    needs(lesson["n"] >= 1000, "the first steps wake the worker up")
    for run in both(lesson, size=2):
        assert run["devices"][0]["busy_ns"] < 0.5 * run["total_ns"]


@claim("On SIMULATED, where a line of Python takes 0.1 µs, 100,000 elements keep the stream busy; with 20,000 it waits, and "
       "Python's total is longer by what its lines cost.", devices=["simulated"])
def simulated_language(lesson):
    for run in both(lesson, wait="once", size=100000):
        needs(lesson["n"] > 100, "few steps leave the stream idle at both ends")
        assert run["regime"] in ("execution-bound", "about equal")  # Python needs nearly as long
        assert run["devices"][0]["busy_ns"] > 0.9 * run["total_ns"]
    cxx, python = both(lesson, wait="once")
    if lesson["size"] <= 20000:
        assert cxx["devices"][0]["idle_ns"] > 0
        assert abs(python["total_ns"] - cxx["total_ns"] - lesson["n"] * LINES_NS) <= 1000
