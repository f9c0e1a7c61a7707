"""Runs each program of programs.py headless: its verdict, exit status, words and outputs."""

import concurrent.futures
import glob
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from programs import PROGRAMS, START

RUNNER = os.environ["HEADWAY_RUNNER"]
FIGURES = os.environ.get("HEADWAY_TEST_FIGURES") == "1"
LIMIT_S = 60


def run(hostile):
    """What is wrong, as a list of sentences."""
    with tempfile.TemporaryDirectory(prefix="headway-hostile-") as above:
        folder = os.path.join(above, "run")
        os.mkdir(folder)
        with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as file:
            file.write((START if hostile.start else "") + hostile.text + "\n")
        outputs = ["--report", "r.json", "--trace", "t.json"] + (["--figure", "f.svg"] if FIGURES else [])
        with open(os.path.join(above, "out"), "w+b") as out, open(os.path.join(above, "err"), "w+b") as err:
            child = subprocess.Popen([RUNNER, "run", "program.py", *outputs, *hostile.options], cwd=folder,
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
            try:
                press(child, hostile.presses, os.path.join(above, "out"))
                child.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                return ["it did not end"]
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                child.wait()
        return list(check(hostile, folder, child.returncode))


def press(child, presses, out):
    end = time.monotonic() + LIMIT_S
    while presses > 0 and time.monotonic() < end and child.poll() is None:
        with open(out, "rb") as file:
            if file.read(6) == b"ready\n":
                break
        time.sleep(0.02)
    for _ in range(presses):
        time.sleep(0.3)
        os.killpg(child.pid, signal.SIGINT)


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def check(hostile, folder, status):
    err = text_of(os.path.join(os.path.dirname(folder), "err"))
    if status != hostile.expected_status():
        yield "status %s instead of %s" % (status, hostile.expected_status())
    if hostile.words not in err:
        yield "no %r on stderr" % hostile.words
    if "headway_drive" in err or "an unexpected problem" in err:
        yield "Headway's own frames on stderr"
    if hostile.verdict == "overflowed" and "held the frontend back" in err:
        yield "the waits for room in the recording that are known are not all"
    if hostile.out is not None:
        out = text_of(os.path.join(os.path.dirname(folder), "out"))
        if out != hostile.out:
            yield "stdout is %r" % out[:200]
    left = glob.glob(os.path.join(folder, ".headway-*"))
    if left:
        yield "half-written files: %s" % left
    if not hostile.outputs:
        return
    names = ["r.json", "t.json"] + (["f.svg"] if FIGURES else [])
    missing = [name for name in names if not os.path.exists(os.path.join(folder, name))]
    if missing:
        yield "no %s; stderr: %s" % (missing, err[-300:])
        return
    report = json.loads(text_of(os.path.join(folder, "r.json")))
    end = report["end"]
    if end["verdict"] != hostile.verdict:
        yield "verdict %r instead of %r: %r" % (end["verdict"], hostile.verdict, end["sentence"])
    if hostile.words not in end["sentence"] and hostile.expected_status() != 0 and hostile.verdict != "complete":
        yield "the report says %r" % end["sentence"]
    if end["verdict"] != "complete" and end["sentence"] not in err and "closes" not in hostile.name:
        yield "stderr does not say %r" % end["sentence"]
    if end["recorded_ops"] < hostile.ops:
        yield "%d ops recorded" % end["recorded_ops"]
    if (report["total_ns"] is None) != (hostile.verdict == "overflowed"):
        yield "total_ns is %s" % report["total_ns"]
    trace = json.loads(text_of(os.path.join(folder, "t.json")))
    if trace["otherData"]["end"]["sentence"] != end["sentence"]:
        yield "the trace does not say how the run ended"


class HostilePrograms(unittest.TestCase):
    pass


class EarlierOutputs(unittest.TestCase):
    def test_are_kept_unless_asked(self):
        with tempfile.TemporaryDirectory(prefix="headway-hostile-") as folder:
            names = {"--report": "r.json", "--trace": "t.json.gz"}
            if FIGURES:
                names["--figure"] = "f-%02d.png"

            def run_program(text, *options):
                with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as file:
                    file.write(START + text)
                asked = [word for pair in names.items() for word in pair]
                if FIGURES:
                    asked += ["--figure-seconds", "0.2", "--figure-fps", "10", "--figure-size", "640x360"]
                ran = subprocess.run([RUNNER, "run", "program.py", *asked, *options], cwd=folder, text=True,
                                     stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
                return ran.stderr

            def files():
                found = {}
                for path in glob.glob(os.path.join(folder, "*.*")):
                    if not path.endswith(".py"):
                        with open(path, "rb") as file:
                            found[os.path.basename(path)] = file.read()
                return found

            run_program("")
            complete = files()
            self.assertEqual(len(complete), 4 if FIGURES else 2)
            said = run_program("time.sleep(0.05)\nos._exit(1)")
            self.assertIn("r.json already exists and was not replaced, because this run is not complete; see r.partial.json", said)
            both = files()
            self.assertEqual({name: both.get(name) for name in complete}, complete)
            self.assertEqual(len(both), 2 * len(complete))
            run_program("time.sleep(0.05)\nos._exit(1)", "--replace")
            replaced = files()
            self.assertEqual(len(replaced), 2 * len(complete))
            self.assertEqual([name for name in complete if replaced[name] == complete[name]], [])


def test_of(name, result):
    def test(self):
        problems = result.result()
        self.assertEqual(problems, [], name)

    return test


def main():
    chosen = [p for p in PROGRAMS if len(sys.argv) < 2 or p.name in sys.argv[1:]]
    assert len({p.name for p in PROGRAMS}) == len(PROGRAMS)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for hostile in chosen:
            setattr(HostilePrograms, "test_" + hostile.name.replace("-", "_"),
                    test_of(hostile.name, pool.submit(run, hostile)))
        unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
