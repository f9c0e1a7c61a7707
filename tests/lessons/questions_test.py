#!/usr/bin/env python3
"""Runs each lesson that asks questions, and checks what the run says to them.

    questions_test.py [--verbose] [FOLDER...]        FOLDER: .../lessons/NN-name; default: all

A run must answer each question with one choice, a number on the slider, an order of all events or a place on the axis,
unless the question's `needs` does not hold.
With the lesson's own settings and on its device it must answer all, in each tab, and on simulated the events must stand in
the file in the order of the first tab's run (otherwise the shuffled order might be the right one). The runs: on cpu and simulated, with each barrier
and in each tab, then with one parameter at its least, at its most, and at each of its words, each with one barrier.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from check_lesson import facts_of, load, settings_of
from checking import ROOT, RUNNER

DEVICES = ("simulated", "cpu")
BARRIERS = ("as-written", "none", "op", "minibatch")
NO_ANSWER = "This run does not answer the question"
SECONDS = 60  # of a run; most take a second at most where nothing else uses the machine


class Question:
    """A question as it stands in questions.yaml, read without a YAML library."""

    def __init__(self, block):
        head, answer = re.split(r"^  answer:", block, maxsplit=1, flags=re.M)
        self.answer = re.split(r"^  \w+:", answer, maxsplit=1, flags=re.M)[0]
        self.ask = plain(re.match(r"- ask:(.*?)(?=^  \w+:)", block, re.S | re.M).group(1))
        self.choices, self.number = {}, None
        for choice in re.split(r"^    - text:", head, flags=re.M)[1:] if "\n  choices:" in head else []:
            self.choices[plain(choice.split("\n      right:")[0])] = "\n      why:" in choice
        self.events = [plain(text) for text in re.findall(r"^    - text:(.*?)\n      at:", head, re.S | re.M)]
        self.drawn = re.search(r"^  drawn:", head, re.M) is not None
        if not (self.choices or self.events or self.drawn):
            self.number = [float(re.search(rf"\b{key}: *([-\d.]+)", head).group(1)) for key in ("least", "most")]


def plain(text):
    """The text of a YAML scalar that may be quoted and go over several lines."""
    text = " ".join(text.split())
    return text[1:-1].replace('\\"', '"') if text[:1] in ("'", '"') else text


def questions_of(folder):
    content = (folder / "questions.yaml").read_text("utf-8")
    return [Question(block) for block in re.split(r"^(?=- ask:)", content, flags=re.M) if block.startswith("- ask:")]


def form_problems(questions):
    """What is wrong with the texts, whatever the run."""
    problems = []
    for question in questions:
        said = re.sub(r"\{[^{}]*\}", "", question.answer)
        if re.search(r"\d", said):
            problems.append(f"the answer has a number that is not a fact: {plain(question.answer)}")
        if len(re.findall(r"[.?!](?=\s|$)", question.ask)) > 2:
            problems.append(f"the question has more than two sentences: {question.ask}")
        if len(question.events) > 5:
            problems.append(f"{len(question.events)} events: {question.ask}")
        if question.choices and not 2 <= len(question.choices) <= 4:
            problems.append(f"{len(question.choices)} choices: {question.ask}")
    return problems


def cases_of(folder, facts):
    """(device, barrier, tab, setting) of each run."""
    claims = folder / "claims.py"
    largest = getattr(load(claims), "LARGEST", {}) if claims.exists() else {}
    text = (folder / "lesson.md").read_text("utf-8")
    programs = "".join(p.read_text("utf-8") for p in folder.glob("*.py") if p.name != "claims.py")
    in_minibatches = "minibatch():" in programs or "program: train" in text
    tabs = re.findall(r"^  (mxnet|pytorch|tensorflow|python): \w+\.py", text, re.M)
    # Where a program has no minibatches, "none" and "minibatch" are the same as "as-written".
    barriers = BARRIERS if in_minibatches else ("as-written", "op")
    lessons_own, *others = settings_of(facts, largest)
    for place, device in enumerate(DEVICES):
        for barrier in barriers:
            yield device, barrier, "", lessons_own
        for number, setting in enumerate(others):
            yield device, barriers[(number + place) % len(barriers)], "", setting
        for tab in tabs:
            for barrier in ("as-written", "op"):
                yield device, barrier, tab, {}


def run(folder, case):
    device, barrier, tab, setting = case
    command = [RUNNER, "run", f"{folder}/", "--answers", "--device", device, "--barrier", barrier]
    command += ["--tab", tab] if tab else []
    command += [word for name, value in setting.items() for word in ("--set", f"{name}={value}")]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # NumPy's, in some lessons
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
                              env=environment)
    except subprocess.TimeoutExpired:
        return None


def answers_of(questions, output):
    """What was printed for each question, in their order: the right one and the answer, or why there is none."""
    lines = output.splitlines()
    answers = []
    for question in questions:
        at = lines.index(question.ask)
        right = lines[at + 1].strip()
        answers.append((right, "" if right.startswith(NO_ANSWER) else lines[at + 2].strip()))
        lines = lines[at + 2 :]
    return answers


def on_axis(said):
    """Whether this is "at 20 %" or "from 10 % to 90 %" of the axis."""
    found = re.fullmatch(r"(?:at|from ([\d.]+) % to) ([\d.]+) %", said)
    return found is not None and 0 <= float(found.group(1) or 0) <= float(found.group(2)) <= 100


def case_problems(questions, done, default, own_order):
    """What is wrong with this run's answers, and which choices were right."""
    if not default and "the questions are not answered, because the run is not complete" in done.stderr:
        return [], {}
    try:
        answers = answers_of(questions, done.stdout)
    except (ValueError, IndexError):
        return [f"exit status {done.returncode}, and not all questions were printed: {done.stderr[-300:]}"], {}
    problems, right = [], {}
    for question, (said, answer) in zip(questions, answers):
        if said.startswith(NO_ANSWER + ":") or (default and said.startswith(NO_ANSWER)):
            problems.append(f"{question.ask}\n    {said}")
        elif not said.startswith(NO_ANSWER):
            right[question.ask] = said
            if question.choices and said not in question.choices:
                problems.append(f"{question.ask}\n    {said!r} is none of the choices that were read")
            if question.number and not question.number[0] <= float(said.split()[0]) <= question.number[1]:
                problems.append(f"{question.ask}\n    {said} is not on the slider")
            if question.events and sorted(said.split(" → ")) != sorted(question.events):
                problems.append(f"{question.ask}\n    {said!r} is not an order of {question.events}")
            if question.events and default and own_order and said.split(" → ") != question.events:
                problems.append(f"{question.ask}\n    the events are not listed in the order of this run: {said}")
            if question.drawn and not on_axis(said):
                problems.append(f"{question.ask}\n    {said!r} is not a place on the axis")
            if "{" in answer or "}" in answer or not answer:
                problems.append(f"{question.ask}\n    the answer is {answer!r}")
    if done.returncode not in (0, 1, 3) or (done.returncode == 0) != (len(right) == len(questions)):
        problems.append(f"exit status {done.returncode}, {len(right)} of {len(questions)} questions answered: {done.stderr[-300:]}")
    return problems, right


def words(case):
    device, barrier, tab, setting = case
    return f"{device}, {barrier}{', ' + tab if tab else ''}" + "".join(f", {k}={v}" for k, v in setting.items())


def check(folder, pool, verbose):
    """The lesson's problems."""
    questions = questions_of(folder)
    facts = facts_of(folder)
    problems = form_problems(questions)
    wrong, begun, cases = set(), time.monotonic(), list(cases_of(folder, facts))
    for case, done in zip(cases, pool.map(lambda c: run(folder, c), cases)):
        device, barrier, tab, setting = case
        default = device == facts["device"] and barrier == "as-written" and not setting
        if done is None:
            print(f"{folder.name}: {words(case)}: took more than {SECONDS} s")
            problems += [f"{words(case)}: took more than {SECONDS} s"] if default else []
            continue
        if "no Python frontend" in done.stderr:
            print("skipped:", done.stderr.strip())
            raise SystemExit(77)
        found, right = case_problems(questions, done, default, device == "simulated" and not tab)
        problems += [f"{words(case)}: {problem}" for problem in found]
        wrong |= {(q.ask, text) for q in questions if q.ask in right for text in q.choices if text != right[q.ask]}
        if verbose:
            print(f"{folder.name}: {words(case)}: " + " | ".join(right.get(q.ask, "-") for q in questions))
    for question in questions:
        for text, has_why in question.choices.items():
            if not has_why and (question.ask, text) in wrong:
                problems.append(f"{question.ask}\n    {text}\n    is wrong in some runs and has no `why`")
    print(f"{folder.name}: {len(questions)} questions, {len(cases)} runs, {time.monotonic() - begun:.1f} s, "
          f"{len(problems)} problems", flush=True)
    for problem in problems:
        print(f"  {problem}")
    return len(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--verbose", action="store_true", help="print what was right in each run")
    options = parser.parse_args()
    os.environ.setdefault("HEADWAY_ASSETS", str(ROOT / "assets"))
    folders = options.folders or sorted(p.parent for p in (ROOT / "assets" / "lessons").glob("*/questions.yaml"))
    with ThreadPoolExecutor(2) as pool:
        sys.exit(min(sum(check(folder.resolve(), pool, options.verbose) for folder in folders), 1))


if __name__ == "__main__":
    main()
