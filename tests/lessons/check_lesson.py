#!/usr/bin/env python3
"""Checks the statements in a lesson's text: every sentence of **Claim.** and **Look at** has a function in claims.py
that proves it, on the lesson's device and on simulated, with default parameters and with their extreme values.

    check_lesson.py [--verbose] FOLDER...        FOLDER: .../lessons/NN-name
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import traceback
from pathlib import Path

import checking

MUST_BE_PROVED = ("**Claim.**", "**Look at**")


def sentences_of(text):
    """The sentences of a paragraph, without Markdown's emphasis characters and the addresses of links."""
    text = re.sub(r"\[([^\]]*)\]\((?:<look:[^>]*>|look:[^)]*)\)", r"\1", text)
    text = " ".join(re.sub(r"\*\*\w+\.\*\*", "", text).replace("*", "").split())
    return [s for s in re.split(r"(?<=[.?!])\s+(?=[A-Z`])", text) if s]


def paragraphs_of(lesson_md):
    """The paragraphs of the text, without front matter and blocks of code."""
    body = re.sub(r"```.*?```", "", lesson_md.split("\n---", 1)[1], flags=re.S)
    return [p.strip() for p in re.split(r"\n\s*\n", body) if p.strip(" -\n")]


def form_problems(lesson_md, proved):
    """Sentences of the text without a proof, and quotations in `proved` that are not in the text."""
    paragraphs = paragraphs_of(lesson_md)
    said = {s for p in paragraphs for s in sentences_of(p)}
    quoted = {s for quotation in proved for s in sentences_of(quotation)}
    to_prove = [p for p in paragraphs if p.startswith(MUST_BE_PROVED)]
    problems = [f"claims.py quotes what lesson.md does not say: {s}" for s in sorted(quoted - said)]
    problems += [f"claims.py does not prove: {s}" for p in to_prove for s in sentences_of(p) if s not in quoted]
    if not to_prove:
        problems.append(f"lesson.md has no paragraph that begins with {' or '.join(MUST_BE_PROVED)}")
    if not proved:
        problems.append("claims.py proves nothing")
    return problems


def settings_of(facts, largest):
    """The default parameters, then each parameter at its least and greatest value, or with each of its choices."""
    settings = [{}]
    for parameter in facts["parameters"]:
        name = parameter["name"]
        if "choices" in parameter:
            ends = parameter["choices"]
        else:
            ends = [f"{parameter['least']:g}", f"{min(parameter['most'], largest.get(name, parameter['most'])):g}"]
        settings += [{name: end} for end in ends if end != parameter["value"]]
    return settings


def failure(error, function):
    """Where a claim failed, and the function's local variables."""
    frames = [f for f in traceback.walk_tb(error.__traceback__) if f[0].f_code.co_filename == function.__code__.co_filename]
    frame, line = frames[-1] if frames else (None, 0)
    words = [f"{type(error).__name__}: {error}" if str(error) else type(error).__name__]
    if frame is not None:
        words.append(f"claims.py:{line}: " + "".join(traceback.linecache.getlines(frame.f_code.co_filename)[line - 1 : line]).strip())
        words += [f"  {k} = {v!r:.400}" for k, v in frame.f_locals.items() if k != "lesson"]
    return "\n    ".join(words)


def load(path):
    spec = importlib.util.spec_from_file_location("claims_" + path.parent.name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("checking", checking)
    spec.loader.exec_module(module)
    return module


def facts_of(folder):
    """The lesson's entry in `headway lessons --json`."""
    environment = {**os.environ, "HEADWAY_ASSETS": str(folder.parent.parent)}
    listed = subprocess.run([checking.RUNNER, "lessons", "--json"], capture_output=True, text=True, env=environment)
    if listed.returncode not in (0, 2) or not listed.stdout:
        raise SystemExit(listed.stderr)
    listed = json.loads(listed.stdout)
    number, _, name = folder.name.partition("-")
    for facts in listed["lessons"] if isinstance(listed, dict) else listed:
        if facts["number"] == int(number) and (folder / "lesson.md").read_text("utf-8").find(f"id: {facts['id']}\n") >= 0:
            return facts
    raise SystemExit(f"{folder} is no lesson that Headway lists")


def check(folder, verbose, real_torch=False):
    """Prints the lesson's problems and returns their number."""
    folder = folder.resolve()
    facts = facts_of(folder)
    path = folder / "claims.py"
    if not path.exists():
        print(f"{facts['id']}: it has no claims.py")
        return 1
    module = load(path)
    functions = [f for f in vars(module).values() if hasattr(f, "sentences")]
    problems = form_problems((folder / "lesson.md").read_text("utf-8"), [s for f in functions for s in f.sentences])
    settings = settings_of(facts, getattr(module, "LARGEST", {}))
    # Each setting of the parameters with the lesson's own program; its other tabs with the parameters as they are.
    cases = [("", setting) for setting in settings] + [(tab, {}) for tab in getattr(module, "TABS", [])]
    if real_torch:
        cases = [("pytorch", {})] if "pytorch" in getattr(module, "TABS", []) else []
        functions = [f for f in functions if not f.devices or "simulated" in f.devices]
    for function in functions:
        for device in ["simulated"] if real_torch else function.devices or dict.fromkeys([facts["device"], "simulated"]):
            for tab, setting in cases:
                where = f"{function.__name__} on {device}" + "".join(f" with {k}={v}" for k, v in setting.items())
                where += f" in tab {tab}" if tab else ""
                begun = time.monotonic()
                outcome = "holds"
                try:
                    function(checking.Lesson(folder, facts, device, setting, tab))
                except checking.NotHere as reason:
                    outcome = f"not here: {reason}"
                    if not real_torch and not setting and not tab and device == (function.devices or [facts["device"]])[0]:
                        problems.append(f"{where}, with the parameters as they are: {outcome}")
                except Exception as error:  # any error: go on with the other claims
                    problems.append(f"{where}:\n    {failure(error, function)}")
                    outcome = "FAILS"
                if verbose:
                    print(f"{facts['id']}: {where}: {outcome} ({time.monotonic() - begun:.2f} s)")
    for problem in problems:
        print(f"{facts['id']}: {problem}")
    return len(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--verbose", action="store_true", help="say what holds, and what does not hold where")
    parser.add_argument("--real-torch", action="store_true",
                        help="only the PyTorch tabs on simulated, with PyTorch itself instead of the dialect")
    options = parser.parse_args()
    if options.real_torch:
        os.environ["HEADWAY_TORCH"] = "real"
    sys.exit(min(sum(check(folder, options.verbose, options.real_torch) for folder in options.folders), 1))


if __name__ == "__main__":
    main()
