#!/usr/bin/env python3
"""Changes one place of a source file at a time, and looks whether the tests notice.

    scripts/mutate [--count 300] [--seed 1] [--jobs N] [--changed REF | --survivors] [--folders FOLDER …] [--list]

A mutant is one changed operator, constant or condition, or one statement less. It is killed if a test fails, crashes or
takes ten times as long as usual. One that does not compile does not count. Only .cpp files are changed: a changed header
would build nearly everything again. Works on copies of the committed sources in build/mutation. A mutant may write
wherever you may: run it as a user who owns nothing that you need. Prints each mutant that survived, then the share that
was killed; build/mutation/results.tsv lists them all, with the test that noticed.

--jobs N: tries N mutants at a time, each in a copy of its own (default: one for each core).
--changed REF: only lines that differ from the commit REF.
--survivors: only those that build/mutation/results.tsv lists as survivors, after new tests.
--list: only prints the mutants.
"""

import argparse
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("engine/core", "engine/trace", "engine/memory", "engine/runtime", "engine/devices/cpu",
           "engine/devices/simulated", "app/model")
# Which tests look at a folder: the nearest first. "ctest: NAMES" are tests of the whole runner, by a regular expression.
OF_THE_RUNNER = ("ctest: ^(scenario.(increment|frontend|simulated|golden)|"
                 "python.(values|streams|graphs|devices))$")
OF_THE_NUMBERS = "ctest: ^(checker.(sample|explanation)|scenario.(prediction|golden))$"
TESTS = {
    "engine/core": ["headway_core_test", "headway_trace_test", "headway_runtime_test", "headway_model_test",
                    OF_THE_RUNNER],
    "engine/trace": ["headway_trace_test", "headway_runtime_test", "headway_model_test", OF_THE_RUNNER],
    "engine/memory": ["headway_memory_test", "headway_devices_test", "headway_runtime_test", OF_THE_RUNNER],
    "engine/runtime": ["headway_runtime_test", "headway_conformance_test", "headway_nn_test",
                       "headway_random_programs_test", OF_THE_RUNNER],
    "engine/devices": ["headway_devices_test", "headway_conformance_test", "headway_runtime_test", OF_THE_RUNNER],
    "app/model": ["headway_model_test", "headway_comparison_test", "headway_exchange_test", "figure_test",
                  "headway_runner_test", OF_THE_NUMBERS],
}
# Binary operators have a space on both sides, so that the brackets of templates are not taken for them.
SWAPS = {" < ": [" <= ", " >= "], " <= ": [" < "], " > ": [" >= ", " <= "], " >= ": [" > "], " == ": [" != "],
         " != ": [" == "], " + ": [" - "], " - ": [" + "], " * ": [" / "], " / ": [" * "], " && ": [" || "],
         " || ": [" && "], " += ": [" -= "], " -= ": [" += "], "++": ["--"], "true": ["false"], "false": ["true"],
         "std::min(": ["std::max("], "std::max(": ["std::min("]}
SWAP = re.compile("|".join(re.escape(text) if not text.isalpha() else rf"\b{text}\b"
                           for text in sorted(SWAPS, key=len, reverse=True)))
NUMBER = re.compile(r"(?<![\w.'])(\d+)(?![\w.'])")
CONDITION = re.compile(r"\b(?:if|while) \(([^;{}]+)\) \{$")
MEMORY_LIMIT_BYTES = 8 << 30  # of a test's address space: a mutant may allocate without end
FAILED = re.compile(r"\[  FAILED  \] (\S+)|(\S+) \.*\*\*\*Failed")  # in the output of a test program
STATEMENT = re.compile(r"^\s+[\w.\->\[\]:*]+(?:\([^{}]*\)| [-+|&]?= [^{}]*);$")
SKIPPED = re.compile(r"^\s*(?:#|//|\*|using |static_assert|template|case |namespace |inline constexpr const char)")


@dataclass(frozen=True)
class Mutant:
    path: str
    line: int  # from 1
    before: str
    after: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.before.strip()}\n    -> {self.after.strip() or '(nothing)'}"


def code_of(line):
    """The line with strings, characters and comments blanked out, at the same positions."""
    blank = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', lambda m: "~" * len(m.group()), line)
    comment = blank.find("//")
    return blank if comment < 0 else blank[:comment] + "~" * (len(blank) - comment)


def mutants_of(path, text, lines=None):
    """All mutants of a file; `lines`: only of these."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if (lines is not None and number not in lines) or SKIPPED.match(line):
            continue
        code = code_of(line)

        def change(begin, end, new, number=number, line=line):
            found.append(Mutant(path, number, line, line[:begin] + new + line[end:]))

        for match in SWAP.finditer(code):
            for new in SWAPS[match.group()]:
                change(match.start(), match.end(), new)
        for match in NUMBER.finditer(code):
            change(match.start(), match.end(), str(int(match.group()) + 1))
        if match := CONDITION.search(code):
            change(match.start(1), match.end(1), "!(" + line[match.start(1):match.end(1)] + ")")
        if STATEMENT.match(code) and "return" not in code:
            change(0, len(line), "")
    return found


def changed_lines(root, ref):
    """path -> numbers of the lines that differ from the commit."""
    diff = subprocess.run(["git", "diff", "-U0", ref, "HEAD", "--", *FOLDERS], cwd=root, check=True,
                          capture_output=True, text=True).stdout
    lines, path = {}, None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            path = line[6:]
        elif match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(match.group(1)), int(match.group(2) or 1)
            lines.setdefault(path, set()).update(range(first, first + count))
    return lines


def all_mutants(root, sources, folders, ref, seed):
    """Those of the files in `sources`, a copy of the commit HEAD of `root`, in random order."""
    lines = changed_lines(root, ref) if ref else None
    found = []
    for folder in folders:
        for path in sorted((sources / folder).rglob("*.cpp")):
            name = path.relative_to(sources).as_posix()
            if lines is None or name in lines:
                found += mutants_of(name, path.read_text(encoding="utf-8"), lines and lines[name])
    random.Random(seed).shuffle(found)
    return found


def survivors_in(results):
    """(path, line before, line after) of each mutant that survived, without their indentation."""
    if not results.exists():
        sys.exit(f"there is no {results}: run scripts/mutate without --survivors first")
    rows = [line.split("\t") for line in results.read_text(encoding="utf-8").splitlines()]
    return {(row[1], row[3], row[4]) for row in rows if row[0] == "survived"}


def tests_of(path):
    for folder, tests in TESTS.items():
        if path.startswith(folder + "/"):
            return tests
    sys.exit(f"TESTS in {Path(__file__).name} does not say which tests look at {path}")


def unpack(root, folder):
    """Puts the sources of the commit HEAD there."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=root, check=True, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)


def limit_memory():
    # The soft limit: tests of limits set their own.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))


class Copy:
    """A copy of the committed sources, built with little optimisation."""

    def __init__(self, root, folder):
        self.folder = folder
        self.seconds = {}  # a test's usual time
        shutil.rmtree(self.folder / "source", ignore_errors=True)
        unpack(root, self.folder / "source")
        # The cache is to recognise a copy's files in other copies. The tests read the copy's lessons.
        self.environment = os.environ | {"CCACHE_BASEDIR": str(self.folder),
                                         "HEADWAY_ASSETS": str(self.folder / "source" / "assets")}
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.folder / "source", "-B", self.folder / "build",
                        "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DHEADWAY_WINDOW=OFF",
                        "-DHEADWAY_BENCH=OFF", "-DHEADWAY_CUDA=OFF", "-DHEADWAY_PRECOMPILE=OFF",
                        "-DHEADWAY_UNITY=OFF", *launcher],
                       check=True, stdout=subprocess.DEVNULL)

    def build(self, tests):
        targets = ["headway-runner" if test.startswith("ctest: ") else test for test in tests]
        return subprocess.run(["ninja", "-C", self.folder / "build", *targets], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=self.environment, check=False).returncode == 0

    def failure(self, test):
        """None if the test program passes; else what failed: a test's name, "crash" or "too slow"."""
        limit = max(10, 10 * self.seconds[test]) if test in self.seconds else 600
        begin = time.monotonic()
        if test.startswith("ctest: "):
            command = ["ctest", "--stop-on-failure", "--no-tests=error", "-R", test.removeprefix("ctest: ")]
        else:
            command = [self.folder / "build" / test, "--gtest_fail_fast"]
        with open(self.folder / "output.txt", "w+", encoding="utf-8", errors="replace") as output:
            # A session of its own, so that what a test has started ends with it.
            process = subprocess.Popen(command, cwd=self.folder / "build", stdout=output, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, env=self.environment, start_new_session=True,
                                       preexec_fn=limit_memory)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return "too slow"
            if status == 0:
                self.seconds.setdefault(test, time.monotonic() - begin)
                return None
            output.seek(0)
            failed = FAILED.findall(output.read())
            return "".join(failed[0]) if failed else "crash"

    def result(self, mutant):
        """("killed", by what), ("survived", "") or ("does not compile", "")."""
        path = self.folder / "source" / mutant.path
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        lines[mutant.line - 1] = mutant.after
        path.write_text("\n".join(lines), encoding="utf-8")
        try:
            for test in tests_of(mutant.path):
                if not self.build([test]):
                    return "does not compile", ""
                if failure := self.failure(test):
                    return "killed", f"{test}: {failure}"
            return "survived", ""
        finally:
            path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--changed", metavar="REF")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--folders", nargs="+", default=list(FOLDERS))
    parser.add_argument("--list", action="store_true")
    chosen = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    folder = root / "build" / "mutation"
    with tempfile.TemporaryDirectory() as sources:
        unpack(root, Path(sources))
        mutants = all_mutants(root, Path(sources), chosen.folders, chosen.changed, chosen.seed)
    if chosen.survivors:
        survivors = survivors_in(folder / "results.tsv")
        mutants = [m for m in mutants if (m.path, m.before.strip(), m.after.strip()) in survivors]
    if chosen.list:
        print("\n".join(str(mutant) for mutant in mutants[:chosen.count]))
        return 0
    if not mutants:
        print("nothing to change")
        return 0
    copies = [Copy(root, folder / str(number)) for number in range(1, chosen.jobs + 1)]
    tests = sorted({test for mutant in mutants[:4 * chosen.count] for test in tests_of(mutant.path)})
    for copy in copies:
        if not copy.build(tests):
            sys.exit(f"the unchanged sources do not build in {copy.folder}")
        for test in tests:
            if (failure := copy.failure(test)) and copy.failure(test):  # a busy machine may fail a test once
                sys.exit(f"{test} fails without any change: {failure}")
    counts = {"killed": 0, "survived": 0, "does not compile": 0}
    remaining = iter(mutants)
    lock = threading.Lock()  # guards remaining, counts and what is printed
    under_way = 0

    def work(copy, results):
        nonlocal under_way
        while True:
            with lock:
                if counts["killed"] + counts["survived"] + under_way >= chosen.count:
                    return
                mutant = next(remaining, None)
                if mutant is None:
                    return
                under_way += 1
            result, killer = copy.result(mutant)
            with lock:
                under_way -= 1
                counts[result] += 1
                print(result, mutant.path, mutant.line, mutant.before.strip(), mutant.after.strip(), killer, sep="\t",
                      file=results, flush=True)
                if result == "survived":
                    print(mutant, flush=True)

    with open(folder / "results.tsv", "w", encoding="utf-8") as results:
        workers = [threading.Thread(target=work, args=(copy, results)) for copy in copies]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    tried = counts["killed"] + counts["survived"]
    print(f"{counts['killed']} of {tried} mutants killed ({100 * counts['killed'] / max(tried, 1):.0f} %), "
          f"{len(mutants)} possible, {counts['does not compile']} did not compile")
    return 0


if __name__ == "__main__":
    sys.exit(main())
