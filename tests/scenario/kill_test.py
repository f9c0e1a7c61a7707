"""Kills at random moments: each output is the old file, a complete new one, or absent; never a part of one.

    kill_test.py RUNNER [--kills=N] [--seed=N] [TESTS]

--kills: how many of each kind (default: HEADWAY_KILLS, or 24 of the runner and 12 of the window). HEADWAY_WINDOW: the window's
program; without it the window is not tested.
"""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

from scenario import RUNNER, WITH_FIGURES, Scenario, main, settings


def option(name, otherwise):
    given = [word.partition("=")[2] for word in sys.argv[2:] if word.startswith(f"--{name}=")]
    return int(given[0] if given else otherwise)


KILLS = option("kills", os.environ.get("HEADWAY_KILLS", 24))
WINDOW_KILLS = option("kills", os.environ.get("HEADWAY_KILLS", 12))
SEED = option("seed", 7)
sys.argv[2:] = [word for word in sys.argv[2:] if not word.startswith(("--kills=", "--seed="))]
WINDOW = os.environ.get("HEADWAY_WINDOW", "")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV)
RUN = ("increment", *settings(n=2_000))
KILLED_IN_A_WAIT = """\
import os, signal, threading
import headway as hw
a = hw.randn(2500, 2500)
b = a
for _ in range(40):
    b = b @ a
threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
hw.waitall()
"""


class Kill(Scenario):
    def outputs(self):
        names = ["report.json", "trace.json"] + (["figure.png"] if WITH_FIGURES else [])
        return {name: self.folder / name for name in names}

    def command(self):
        options = [word for name, path in self.outputs().items() for word in ("--" + name.split(".")[0], path)]
        return [RUNNER, "run", *map(str, (*RUN, *options))]

    def is_whole(self, path):
        data = path.read_bytes()
        if path.suffix == ".json":
            return bool(json.loads(data))
        return data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")

    def start(self):
        return subprocess.Popen(self.command(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)

    def program_of(self, supervisor):
        """The process that runs the program; the supervisor itself while there is none."""
        found = subprocess.run(["pgrep", "-P", str(supervisor)], capture_output=True, text=True).stdout.split()
        return int(found[0]) if found else supervisor

    def test_a_program_that_is_killed_in_a_wait_has_waited(self):
        program = self.folder / "killed.py"
        program.write_text(KILLED_IN_A_WAIT, encoding="utf-8")
        report, trace, again = (self.folder / name for name in ("report.json", "trace.json", "again.json"))
        subprocess.run([RUNNER, "run", program, "--device", "cpu", "--workers", "1", "--budget", "none", "--report", report,
                        "--trace", trace], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
        of_run = json.loads(report.read_text(encoding="utf-8"))
        self.assertEqual(of_run["end"]["verdict"], "crashed")
        [wait] = of_run["waits"]
        self.assertEqual((wait["name"], wait["line"]), ("waitall", 8))
        self.assertEqual(wait["ns"], of_run["blocked_ns"])
        self.assertIsNone(of_run["t3"])
        self.assertIsNone(wait["split"], "it did not return")
        texts = [sentence["text"] for sentence in of_run["explanation"]]
        self.assertTrue(any(text.startswith("The frontend waited once") for text in texts), texts)
        subprocess.run([RUNNER, "compare", "--a", trace, "--b", trace, "--report", again], stdin=subprocess.DEVNULL,
                       capture_output=True, check=False, timeout=60)
        of_trace = json.loads(again.read_text(encoding="utf-8"))["a"]
        self.assertEqual((of_trace["blocked_ns"], len(of_trace["waits"])), (of_run["blocked_ns"], 1))

    def test_outputs_are_old_new_or_absent(self):
        began = time.monotonic()
        with self.start() as child:
            self.assertEqual(child.wait(timeout=60), 0)
        length_s = time.monotonic() - began
        for path in self.outputs().values():
            self.assertTrue(self.is_whole(path))
        chance = random.Random(SEED)
        absent = killed = 0
        for turn in range(KILLS):
            if turn % 2 == 0:
                for path in self.outputs().values():
                    path.unlink(missing_ok=True)
            with self.start() as child:
                time.sleep(chance.uniform(0, 1.3 * length_s))
                # The supervisor, the program, or both at once.
                victims = {0: [child.pid], 1: [self.program_of(child.pid)],
                           2: [child.pid, self.program_of(child.pid)]}[turn % 3]
                for victim in victims:
                    try:
                        os.kill(victim, chance.choice(SIGNALS))
                        killed += 1
                    except ProcessLookupError:
                        pass
                child.wait(timeout=60)
            for path in self.outputs().values():
                if path.exists():
                    self.assertTrue(self.is_whole(path), (turn, path.name))
                else:
                    absent += 1
            for name in os.listdir(self.folder):  # what a partial run left beside a complete file is whole, too
                if ".partial." in name:
                    self.assertTrue(self.is_whole(self.folder / name), (turn, name))
                    (self.folder / name).unlink()
        self.assertGreater(killed, KILLS // 2)
        print(f"{killed} killed, {absent} files absent", file=sys.stderr)
        # Nothing of a killed run goes on.
        time.sleep(0.5)
        left = subprocess.run(["pgrep", "-f", str(self.folder)], capture_output=True, text=True).stdout.split()
        self.assertEqual(left, [])


def children_of(process):
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True).stdout.split()
    return [int(child) for child in found]


@unittest.skipUnless(WINDOW, "no window in this build")
class KillWindow(Scenario):
    """The window, its runner or both are killed while they start, run, save and export."""

    STEPS = ("set:n=2000", "run", "wait", "command:export.recording", "wait", "command:export.svg", "wait",
             "run", "wait", "command:export.recording", "wait", "command:export.png", "wait")

    def setUp(self):
        super().setUp()
        for name in ("data", "tmp", "out"):
            (self.folder / name).mkdir()

    def start(self, steps=STEPS):
        words = [word for step in steps for word in ("--do", step)]
        environment = {**os.environ, "XDG_DATA_HOME": str(self.folder / "data"), "TMPDIR": str(self.folder / "tmp"),
                       "HOME": str(self.folder / "out")}
        return subprocess.Popen([WINDOW, "increment", "--offscreen", "800x600", *words], cwd=self.folder / "out",
                                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, start_new_session=True)

    def problem_with(self, path):
        """Why a file is not whole; None if it is."""
        data = path.read_bytes()
        try:
            if path.name.endswith(".gz"):
                json.loads(gzip.decompress(data))
            elif path.suffix == ".json":
                json.loads(data)
        except (ValueError, EOFError, OSError) as problem:
            return str(problem)
        if path.suffix == ".png" and not (data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")):
            return "half a picture"
        if path.suffix == ".svg" and not data.rstrip().endswith(b"</svg>"):
            return "half a drawing"
        return None

    def check_files(self, turn):
        """How many outputs are there, all of them whole."""
        files = [path for top in ("data", "out") for path in (self.folder / top).rglob("*") if path.is_file()]
        # What is written next to its place until it is whole has a name that says so.
        whole = [path for path in files if not path.name.startswith(".headway-")]
        for path in whole:
            self.assertIsNone(self.problem_with(path), (turn, path.name))
        outputs = [path for path in whole if path.parent.name == "out"]
        for path in outputs:
            path.unlink()
        self.assertEqual([path.name for path in files if path not in whole and path.parent.name == "out"], [], turn)
        return len(outputs)

    def test_files_are_old_new_or_absent(self):
        began = time.monotonic()
        with self.start() as window:
            said = window.communicate(timeout=120)[1]
            self.assertEqual(window.returncode, 0, said)
        length_s = time.monotonic() - began
        self.assertEqual(self.check_files("first"), 4)
        self.assertEqual(os.listdir(self.folder / "tmp"), [])
        chance = random.Random(SEED)
        killed = whole = 0
        for turn in range(WINDOW_KILLS):
            with self.start() as window:
                try:
                    window.wait(chance.uniform(0, 1.1 * length_s))
                except subprocess.TimeoutExpired:
                    pass
                runner = children_of(window.pid)
                victims = {0: [window.pid], 1: runner or [window.pid], 2: [window.pid, *runner]}[turn % 3]
                for victim in victims:
                    try:
                        os.kill(victim, chance.choice(SIGNALS))
                        killed += 1
                    except ProcessLookupError:
                        pass
                window.communicate(timeout=120)
            whole += self.check_files(turn)
            if (turn + 1) % 100 == 0:
                print(f"{turn + 1} turns, {killed} killed, {whole} files whole", file=sys.stderr, flush=True)
        self.assertGreaterEqual(killed, WINDOW_KILLS // 2)
        self.assertGreater(whole, 0)
        time.sleep(0.5)
        left = subprocess.run(["pgrep", "-f", str(self.folder)], capture_output=True, text=True).stdout.split()
        self.assertEqual(left, [])
        # The next window removes the folders of those that were killed, and works.
        with self.start() as window:
            said = window.communicate(timeout=120)[1]
            self.assertEqual(window.returncode, 0, said)
        self.assertEqual(os.listdir(self.folder / "tmp"), [])
        self.assertEqual(self.check_files("last"), 4)
        print(f"{killed} killed, {whole} files whole", file=sys.stderr)


if __name__ == "__main__":
    main()
