#!/usr/bin/env python3
"""Checks that the folders of engine/ and app/ include only what they may, and that files and folders stay small.

    check_includes.py [ROOT]

An arrow is the allowed include together with whatever the named folder may include. Exit status: 0 when everything
holds, 1 with one line for each thing that does not.
"""

import re
import sys
from collections import Counter
from pathlib import Path

# folder -> the folders that it may include, directly. What those may include is allowed as well.
ARROWS = {
    "engine/core": [],
    "engine/core/system": ["engine/core"],
    "engine/trace": ["engine/core/system"],
    "engine/memory": ["engine/trace"],
    "engine/devices": ["engine/memory"],
    "engine/devices/kernels": ["engine/devices"],
    "engine/devices/cpu": ["engine/devices/kernels"],
    "engine/devices/simulated": ["engine/devices/kernels"],
    "engine/devices/cuda": ["engine/devices/kernels"],
    "engine/runtime/frontend": ["engine/devices"],
    "engine/runtime/scheduling": ["engine/devices"],
    "engine/runtime": ["engine/runtime/frontend", "engine/runtime/scheduling"],
    "engine/nn": ["engine/runtime"],
    "app/json": ["engine/core/system"],
    "app/model/containers": ["engine/core"],
    "app/model/costs": ["app/json"],
    "app/model/description": ["engine/trace", "app/model/containers", "app/model/costs"],
    "app/model/run": ["app/model/description"],
    "app/model/replay": ["app/model/run"],
    "app/model/analysis/memory": ["app/model/replay"],
    "app/model/analysis": ["app/model/analysis/memory"],
    "app/model/numbers": ["app/model/analysis"],
    "app/model/explanation": ["app/model/numbers"],
    "app/model/report": ["app/model/explanation"],
    "app/model/moment": ["app/model/numbers"],
    "app/model/user_data": ["app/model/run"],
    "app/comparison": ["app/model/numbers"],
    "app/lesson": ["app/model/numbers"],
    "app/expression": ["engine/core"],
    "app/check": ["app/confinement", "app/expression", "app/lesson", "app/model/report", "app/process"],
    "app/questions": ["app/check"],
    "app/exchange/files": ["app/model/run"],
    "app/exchange/foreign": ["app/exchange/files"],
    "app/exchange/chrome": ["app/exchange/foreign", "app/model/numbers", "app/model/user_data"],
    "app/render": ["app/model/numbers"],
    "app/timeline": ["app/render", "app/comparison", "app/model/explanation", "app/model/moment", "app/model/user_data"],
    "app/timeline/highlights": ["app/timeline"],
    "app/figure": ["app/timeline/highlights", "app/process"],
    "app/editor": ["app/json"],
    "app/confinement": ["engine/core/system"],
    "app/process": ["engine/core/system"],
    "app/gfx": ["engine/core/system"],
    "app/platform": ["app/gfx"],
    "app/session": ["app/comparison", "app/confinement", "app/process"],
    "app/ui/widgets": ["app/render", "app/gfx"],
    "app/ui/state/view": ["app/ui/widgets", "app/timeline/highlights", "app/session"],
    "app/ui/state/saved": ["app/ui/state/view", "app/json"],
    "app/ui/state/program": ["app/ui/state/view", "app/check", "app/lesson", "app/editor", "app/model/user_data"],
    "app/ui/state/learning": ["app/ui/state/program", "app/figure", "app/questions"],
    "app/ui/state": ["app/ui/state/saved", "app/ui/state/learning", "app/model/moment"],
    "app/ui/timeline": ["app/ui/state"],
    "app/ui/source": ["app/ui/state"],
    "app/ui/lesson/predict": ["app/ui/state"],
    "app/ui/lesson": ["app/ui/lesson/predict"],
    "app/ui/details": ["app/ui/timeline"],
    "app/ui/dialogs": ["app/ui/state"],
    "app/ui/shell/overlays": ["app/ui/state"],
    "app/ui/shell": ["app/ui/shell/overlays", "app/ui/source", "app/ui/lesson", "app/ui/details", "app/ui/dialogs"],
    "app/runner/programs": ["engine/nn", "app/lesson"],
    # PyTorch's module: its own header only, which the runner shares.
    "app/runner/torch": [],
    "app/runner/python": ["app/runner/programs", "app/json", "app/runner/torch"],
    "app/runner/execution": ["app/runner/programs", "app/runner/python", "app/editor", "engine/devices/cpu",
                             "engine/devices/simulated", "app/confinement", "app/exchange/files"],
    "app/runner/command_line": ["app/runner/execution"],
    "app/runner/commands": ["app/runner/command_line", "app/exchange/chrome", "app/figure", "app/model/report",
                            "app/process", "app/questions", "app/session"],
    "app/runner": ["app/runner/commands"],
}

# Single headers that a folder, and who may include it, may use although their folder is not on its arrows.
EXTRA_HEADERS = {
    "app/model/containers": {"engine/devices/op.h"},
    "app/model/costs": {"engine/devices/op.h", "engine/devices/host_costs.h", "engine/devices/simulated/cost_model.h",
                        "engine/devices/simulated/links.h"},
    "app/model/description": {"engine/devices/simulated/cost_model.h", "engine/devices/simulated/links.h"},
    # Names of ops; what they cost on a simulated device, and its lanes in virtual time.
    "app/model/run": {"engine/devices/op.h", "engine/devices/host_costs.h", "engine/devices/simulated/cost_model.h",
                      "engine/devices/simulated/links.h", "engine/devices/simulated/virtual_lanes.h"},
}

# Files that know everyone.
FREE_FILES = {"app/main.cpp"}

# What a header of a vendor looks like -> the only folders that may include it.
VENDORS = [
    (r"(.*/)?imgui[\w]*\.h|imstb_.*", ["app/ui/", "app/platform", "app/gfx"]),
    (r"(epoxy|EGL|GLES\d?|GLFW|GL)/.*", ["app/platform", "app/gfx"]),
    (r"cuda.*|cublas.*|curand.*|cupti.*|nvrtc.*|nvToolsExt.*|nvtx3/.*|cooperative_groups.*", ["engine/devices/cuda"]),
    (r"(.*/)?Python\.h|pybind11/.*|numpy/.*", ["app/runner/python"]),
    (r"simdjson\.h", ["app/json", "app/exchange", "app/editor"]),
    (r"md4c\.h", ["app/ui/widgets"]),
    (r"cairo.*", ["app/render", "app/figure"]),
    (r"ft2build\.h|freetype.*|fontconfig/.*", ["app/render", "app/figure", "app/gfx", "app/platform"]),
    (r"(.*/)?cblas\.h|openblas.*", ["engine/devices/kernels", "engine/devices/cpu"]),
]

MOST_LINES = 500
MOST_FILES = 25
SOURCE_SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
SNAKE_CASE = re.compile(r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")


def closure(folder):
    """Every folder that `folder` may include, itself among them."""
    seen, todo = set(), [folder]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += ARROWS.get(name, [])
    return seen


def includes_of(path):
    """(line number, True when quoted, name) for each include outside of block comments."""
    text = path.read_text(encoding="utf-8", errors="replace")
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), text, flags=re.S)
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def find_cycle(graph):
    """A list of folders, the last equal to the first, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        path.append(name)
        for follower in sorted(graph.get(name, ())):
            cycle = visit(follower)
            if cycle:
                return cycle
        path.pop()
        done.add(name)
        return None

    for name in sorted(graph):
        cycle = visit(name)
        if cycle:
            return cycle
    return None


def check(root):
    """A list of lines, one for each error."""
    errors, graph, sizes = [], {}, Counter()
    files = [path for top in ("engine", "app") for path in sorted((root / top).rglob("*"))
             if path.suffix in SOURCE_SUFFIXES]
    if not files:
        return [f"{root}: no sources in engine/ and app/"]

    for path in files:
        name = path.relative_to(root).as_posix()
        folder = path.parent.relative_to(root).as_posix()
        if not SNAKE_CASE.match(path.stem) or not all(SNAKE_CASE.match(part) for part in folder.split("/")):
            errors.append(f"{name}: names are snake_case")
        if path.suffix in {".cu", ".cuh"} and folder != "engine/devices/cuda":
            errors.append(f"{name}: device code belongs in engine/devices/cuda")
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".h" and "#pragma once" not in text:
            errors.append(f"{name}: no #pragma once")
        lines = text.count("\n")
        if lines > MOST_LINES:
            errors.append(f"{name}: {lines} lines, and {MOST_LINES} at most")
        sizes[folder] += 1
        if name in FREE_FILES:
            continue
        if folder not in ARROWS:
            errors.append(f"{name}: {folder} has no arrows in check_includes.py")
            continue
        allowed = closure(folder)
        extra = set().union(*(EXTRA_HEADERS.get(other_folder, ()) for other_folder in allowed))
        for number, quoted, target in includes_of(path):
            where = f"{name}:{number}"
            vendor = next((folders for pattern, folders in VENDORS if re.fullmatch(pattern, target)), None)
            if vendor is not None:
                if not any(folder == one or folder.startswith(one.rstrip("/") + "/") for one in vendor):
                    errors.append(f"{where}: {target} may be included by {', '.join(vendor)} alone")
                continue
            ours = target.startswith(("engine/", "app/"))
            if not quoted:
                if ours:
                    errors.append(f"{where}: {target} is ours, so it is written in quotes")
                continue
            if not ours:
                errors.append(f'{where}: "{target}" is neither from the root (engine/…, app/…) nor a known vendor\'s')
                continue
            if not (root / target).is_file():
                errors.append(f"{where}: there is no {target}")
                continue
            other = target.rsplit("/", 1)[0]
            if other != folder:
                graph.setdefault(folder, set()).add(other)
            if folder.startswith("engine/") and target.startswith("app/"):
                errors.append(f"{where}: the engine never includes app/")
            elif other not in allowed and target not in extra:
                errors.append(f"{where}: {folder} may not include {other}")

    errors += [f"{folder}: {size} files, and {MOST_FILES} at most" for folder, size in sizes.items() if size > MOST_FILES]
    cycle = find_cycle(graph)
    if cycle:
        errors.append("folders include each other in a circle: " + " -> ".join(cycle))
    return errors


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    errors = check(root)
    for line in errors:
        print(line)
    print(f"{len(errors)} violations" if errors else "the arrows hold")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
