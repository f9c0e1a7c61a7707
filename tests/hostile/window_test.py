"""Runs each program of programs.py in a window's session (confined, as there): its verdict and words, and how soon
after its end another run could be started."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest

from programs import PROGRAMS, START

RUNNER = os.environ["HEADWAY_RUNNER"]
SESSIONS = os.environ["HEADWAY_SESSIONS"]
FREE_S = 1.0
STOP_S = 1.5  # a second until the program is killed, and what a loaded machine takes to notice
UNITS = {"M": 1 << 20}


def size_of(options, name):
    text = dict(zip(options[::2], options[1::2])).get(name, "0")
    return int(text.rstrip("M")) * UNITS.get(text[-1], 1)


def problems_of(hostile, done):
    if done is None or not done["over"]:
        yield "it did not end"
        return
    if done["verdict"] != hostile.verdict:
        yield "verdict %r instead of %r: %r" % (done["verdict"], hostile.verdict, done["sentence"])
    if hostile.words not in done["sentence"] and hostile.verdict != "complete":
        yield "the window says %r" % done["sentence"]
    if "headway_drive" in done["sentence"] or "\n" in done["sentence"]:
        yield "no sentence: %r" % done["sentence"]
    if done["ops"] < hostile.ops:
        yield "%d ops recorded" % done["ops"]
    if hostile.out and hostile.out != done["output"]:
        yield "output %r" % done["output"]
    if done["free_s"] > (STOP_S if hostile.presses else FREE_S):
        yield "the next run could be started only after %.2f s" % done["free_s"]


class HostilePrograms(unittest.TestCase):
    done = {}
    left = []

    def test_no_process_is_left(self):
        self.assertEqual(self.left, [])


def processes_of(folder):
    """Which of our processes are about a folder."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % process, "rb") as file:
                words = file.read().decode(errors="replace").replace("\0", " ")
            with open("/proc/%s/stat" % process, encoding="utf-8") as file:
                state = file.read().rpartition(") ")[2][0]
        except OSError:
            continue
        if folder in words and state not in "ZX" and int(process) != os.getpid():
            yield "%s: %s" % (process, words)


def test_of(hostile):
    def test(self):
        self.assertEqual(list(problems_of(hostile, self.done.get(hostile.name))), [])

    return test


def main():
    # These sessions set no limits.
    chosen = [p for p in PROGRAMS if "--time-limit" not in p.options and (len(sys.argv) < 2 or p.name in sys.argv[1:])]
    with tempfile.TemporaryDirectory(prefix="headway-hostile-") as folder:
        lines = []
        for hostile in chosen:
            setattr(HostilePrograms, "test_" + hostile.name.replace("-", "_"), test_of(hostile))
            own = os.path.join(folder, hostile.name)
            os.mkdir(own)
            path = os.path.join(own, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write((START if hostile.start else "") + hostile.text + "\n")
            lines.append("\t".join((hostile.name, path, str(size_of(hostile.options, "--trace-limit")),
                                    str(size_of(hostile.options, "--budget")), "1" if hostile.presses else "0")))
        listed = os.path.join(folder, "list")
        with open(listed, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        ran = subprocess.run([SESSIONS, RUNNER, listed], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=500)
        HostilePrograms.left = list(processes_of(folder))
        for line in ran.stdout.decode(errors="replace").splitlines():
            done = json.loads(line)
            HostilePrograms.done[done["name"]] = done
        free = sorted(done["free_s"] for done in HostilePrograms.done.values())
        if free:
            print("free after the end: median %.3f s, at most %.3f s" % (free[len(free) // 2], free[-1]))
        if ran.returncode != 0:
            sys.exit("the sessions ended with status %d" % ran.returncode)
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
