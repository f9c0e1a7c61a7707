"""The lessons: the names of their runs, small sizes, and the two sides that each one compares."""

import json
import os
import subprocess

RUNNER = os.environ.get("HEADWAY_RUNNER", "headway-runner")
# Need a GPU and the CPU: on simulated only.
TWO_DEVICES = ("cpu-and-gpu", "exercise-cpu-and-gpu", "pageable-copy", "copy-while-computing", "spin-or-sleep",
               "two-gpus", "ring-all-reduce", "missing-wait", "three-sums",
               "under-the-backward-pass", "unequal-gpus")
# Small sizes for tests; other parameters keep the lesson's values.
SMALL = {"n": 200, "size": 48, "steps": 5, "batches": 4, "batch_size": 32, "features": 64, "hidden": 32, "reps": 4,
         "products": 4, "pairs": 3, "others": 3, "megabytes": 2, "batch": 100}
# The two sides for lessons without a parameter with choices.
COMPARED = {
    "frontends": ("", "--tab python"),
    "dependency-graph": ("", "--tab mxnet"),
    "train": ("", "--barrier none"),
    "limits": ("--queue-limit 64", ""),
    "free-policies": ("--free-policy finish", "--free-policy stream"),
    "eager-and-graph": ("", "--issue graph"),
    "exercise-overlap": ("--set ahead=1", "--set ahead=0"),
    "exercise-cpu-product": ("", "--tab mxnet"),
}
OTHERWISE = ("--barrier none", "--barrier op")


def listed():
    done = subprocess.run([RUNNER, "lessons", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def small_sizes(lesson):
    options = []
    for parameter in lesson["parameters"]:
        small = SMALL.get(parameter["name"])
        if small is not None and float(parameter["value"]) > small:
            options += ["--set", f"{parameter['name']}={small}"]
    return options


def comparison(lesson):
    """The options of A and of B."""
    if lesson["id"] in COMPARED:
        return COMPARED[lesson["id"]]
    for parameter in lesson["parameters"]:
        if len(parameter.get("choices", ())) == 2:
            return tuple(f"--set '{parameter['name']}={choice}'" for choice in parameter["choices"])
    return OTHERWISE
