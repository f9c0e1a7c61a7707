"""Bad input: one sentence, the right exit status, nothing half-written."""

import json
import os
import resource
import stat
import subprocess
import unittest

from scenario import RUNNER, WITH_FIGURES, Scenario, main


# Parts of a report that a recording supports even if records are missing: settings, and what is in a single record.
SUPPORTED = ("machine", "settings", "parameters", "lost_records", "end", "result", "explanation", "warmup_ns", "error")
OF_ONE_RECORD = ("line", "begin_ns", "ns", "index", "issue_begin_ns", "first_op", "last_op", "end_ns")
UNKNOWN_OF_DEVICES = ("ops", "busy_ns", "idle_ns", "waits", "waited_ns", "live_bytes_peak", "pending_bytes_peak",
                      "reserved_bytes_peak")


def numbers_without_support(value, path=""):
    """The paths of numbers in a report that a recording without all records does not support."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not (path == "" and key in SUPPORTED):
                yield from numbers_without_support(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from numbers_without_support(inner, f"{path}[]")
    elif not isinstance(value, bool) and isinstance(value, (int, float)) and path.rsplit(".", 1)[-1] not in OF_ONE_RECORD:
        yield path


class BadInput(Scenario):
    def test_a_stack_limit_that_is_too_small_is_raised_or_reported(self):
        for kib, hard, status, words in (
                (64, 64, 3, "the stack of this process is limited to 64 KiB (ulimit -s), and Headway needs 256 KiB"),
                (64, -1, 0, "")):
            limit = (kib << 10, hard << 10 if hard > 0 else resource.RLIM_INFINITY)
            outputs = ["--report", "r.json"] + (["--figure", "f.png"] if WITH_FIGURES else [])
            ran = subprocess.run([RUNNER, "run", "train", "--set", "batches=2", *outputs], cwd=self.folder, text=True,
                                 capture_output=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, limit))
            self.assertEqual(ran.returncode, status, ran.stderr)
            self.assertIn(words, ran.stderr)
            self.assertEqual(os.path.exists(self.folder / "r.json"), status == 0)

    def test_an_address_space_that_is_too_small_is_reported_before_the_program_starts(self):
        for megabytes, status, words in (
                (500, 3, "the addresses of this process are limited to 500 MB (ulimit -v), and a run with 2 workers needs"),
                (1500, 3, "limited to 1.5 GB (ulimit -v)"),
                (2500, 0, "")):
            limit = (megabytes * 10**6, resource.RLIM_INFINITY)
            ran = subprocess.run([RUNNER, "run", "train", "--workers", "2", "--set", "batches=2", "--report", "r.json"],
                                 cwd=self.folder, text=True, capture_output=True, timeout=60,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
            self.assertEqual(ran.returncode, status, ran.stderr)
            self.assertIn(words, ran.stderr)

    def test_a_result_that_stdout_does_not_take_is_an_error(self):
        self.assertEqual(self.headway("run", "increment", "--device", "simulated", "--set", "n=3", "--trace",
                                      "t.json").status, 0)
        for words in (["explain", "t.json"], ["lessons"], ["devices", "--json"], ["check", "--list"],
                      ["check", "needless-barrier"], ["--help"], ["--version"]):
            with self.subTest(words), open("/dev/full", "wb") as full:
                ran = self.headway(*words, stdout=full)
                self.assertEqual(ran.status, 2, ran.err)
                self.assertIn("cannot be written to stdout: No space left on device\n", ran.err)

    def test_usage_errors_have_status_two(self):
        cases = [
            (["frobnicate"], "unknown command"),
            ([], "headway --help"),
            (["run"], "PROGRAM"),
            (["run", "train", "--colour", "red"], "unknown option --colour"),
            (["run", "train", "increment"], "unexpected argument increment"),
            (["run", "trian"], "train"),
            (["run", ""], ""),
            (["run", "train", "--device", "tpu"], "cpu, cuda or simulated"),
            (["run", "train", "--barrier", "batch"], "--barrier: a barrier is"),
            (["run", "train", "--barrier", "behind:0"], "from 1"),
            (["run", "train", "--barrier", "behind:x"], "from 1"),
            (["run", "train", "--set", "epochs=3"], "batches"),
            (["run", "train", "--set", "batches"], "NAME=VALUE"),
            (["run", "train", "--set", "batches=0"], "batches must be from 1 to"),
            (["run", "train", "--set", "batches=-1"], "from 1 to"),
            (["run", "train", "--set", "batches=many"], "whole number"),
            (["run", "train", "--set", "batches="], "whole number"),
            (["run", "train", "--set", "hidden=1e30"], "from 1 to"),
            (["run", "increment", "--set", "n=0"], "n must be from 1 to 1000000000"),
            (["run", "increment", "--set", "n=1000000001"], "from 1 to 1000000000"),
            (["run", "increment", "--set", "n=99999999999999999999"], "from 1 to 1000000000"),
            (["run", "increment", "--set", "wait=never"], "once or each"),
            (["run", "matmul", "--set", "size=1000000"], "size must be from 1 to"),
            (["run", "train", "--workers", "0"], "--workers must be a whole number from 1 to 16"),
            (["run", "train", "--workers", "17"], "from 1 to 16"),
            (["run", "train", "--workers", "two"], "from 1 to 16"),
            (["run", "train", "--streams", "0"], "from 1 to 16"),
            (["run", "train", "--budget", "0"], "--budget must be"),
            (["run", "train", "--budget", "12Q"], "--budget must be"),
            (["run", "train", "--budget", "99999999999999999999999"], "--budget must be"),
            (["run", "train", "--queue-limit", "0"], "--queue-limit must be"),
            (["run", "train", "--free-policy", "never"], "finish, stream or lazy"),
            (["run", "train", "--seed", "-1"], ""),
            (["run", "train", "--seed", "1.5"], "--seed must be"),
            (["run", "train", "--report"], "--report"),
            (["run", "train", "--report", ""], "--report needs a value"),
            (["run", "train", "--report", "missing/r.json"], "cannot write missing/r.json"),
            (["run", "train", "--trace", "missing/t.json"], "cannot write missing/t.json"),
            (["run", "train", "--trace", "t.xml.gz"], ".json.gz"),
            (["run", "train", "--report", "x.json", "--trace", "x.json"], "twice"),
            (["run", "missing.md"], "missing.md"),
            (["figure", "missing.json", "-o", "f.png"], "missing.json"),
            (["figure", "t.json"], "-o"),
            (["check", "needless-barrier", "missing.py"], "missing.py"),
            (["check", "needles", "missing.py"], "needles"),
            (["compare", "train", "--a", ""], "--b"),
            (["compare", "train", "--a", "--workers 0", "--b", ""], "in --a"),
            (["compare", "train", "--a", "", "--b", "--set n=1"], "in --b"),
            (["compare", "train", "--a", "'", "--b", ""], "in --a"),
            (["compare", "train", "--device", "simulated", "--a", "--order 1", "--b", ""], "random times"),
            (["compare", "trian", "--a", "", "--b", ""], "trian"),
            (["compare", "train", "--a", "", "--b", "", "--report", "missing/r.json"], "missing/r.json"),
            (["lessons", "--yaml"], "unknown option --yaml"),
            (["devices", "gpu"], "unexpected argument gpu"),
        ]
        if WITH_FIGURES:
            cases += [
                (["run", "train", "--figure", "f.bmp"], "f.bmp"),
                (["run", "train", "--figure", "f"], "f"),
                (["run", "train", "--figure", "missing/f.png"], "missing/f.png"),
            ]
        else:
            cases += [(["run", "train", "--figure", "f.png"], "no figures")]
        for arguments, words in cases:
            with self.subTest(" ".join(arguments)):
                self.assert_refused(self.headway(*arguments), 2, words)

    def test_long_and_odd_arguments_stay_one_sentence(self):
        for argument in ("x" * 100_000, "a\nb", "\x01", "%s%n", "--", "-", "=", "--=", "../../etc/passwd"):
            with self.subTest(argument[:20]):
                ran = self.headway("run", argument)
                self.assert_refused(ran, 2)
                self.assertLess(len(ran.err), 1000)
                self.assertLess(len(self.headway("run", "train", "--set", f"{argument}=1").err), 1000)
        self.assertEqual(subprocess.run([RUNNER.encode(), b"run", b"\xff\xfe"], cwd=self.folder, capture_output=True,
                                        timeout=60).returncode, 2)

    def test_an_unavailable_device_has_status_three(self):
        listed = {device["kind"]: device for device in json.loads(self.headway("devices", "--json").out)}
        if listed["cuda"]["available"]:
            self.skipTest("a CUDA device is here")
        self.assert_refused(self.headway("run", "train", "--device", "cuda", "--report", "r.json"), 3, "cuda",
                            listed["cuda"]["reason"])
        self.assert_refused(self.headway("compare", "train", "--a", "--device cuda", "--b", ""), 3, "in --a")

    def test_without_assets_the_sentence_says_so(self):
        missing = {"HEADWAY_ASSETS": str(self.folder / "nowhere")}
        self.assert_refused(self.headway("run", "train", "--device", "simulated", environment=missing), 3,
                            "HEADWAY_ASSETS")
        self.assert_refused(self.headway("lessons", environment=missing), 2, "HEADWAY_ASSETS")
        # The built-in programs do not need assets.
        self.assertEqual(self.headway("run", "increment", "--set", "n=5", environment=missing).status, 0)

    def test_places_that_cannot_be_written(self):
        folder = self.folder / "folder"
        folder.mkdir()
        ran = self.headway("run", "increment", "--report", folder)
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("Is a directory", ran.err)
        ran = self.headway("run", "increment", "--report", "/proc/headway.json")
        self.assertEqual(ran.status, 2, ran)
        self.assertEqual(ran.out, "", "the program must not have run")

    def test_a_lesson_is_run_by_its_folder(self):
        lesson = self.folder / "mine"
        lesson.mkdir()
        (lesson / "lesson.md").write_text("---\nid: own\ntitle: Mine\nprogram: increment\nparameters:\n"
                                          "  n: {value: 7, least: 1, most: 9, label: N}\n---\nText.\n")
        for name in ("mine", "mine/", "./mine", lesson, "mine/lesson.md"):
            ran = self.headway("run", name, "--device", "simulated")
            self.assertEqual(ran.status, 0, ran)
            self.assertIn(": 7 ops in ", ran.err)
        (self.folder / "increment").mkdir()  # a plain name means the lesson
        ran = self.headway("run", "increment", "--device", "simulated", "--set", "n=3")
        self.assertEqual(ran.status, 0, ran)
        for name in ("increment/", "./increment"):
            ran = self.headway("run", name)
            self.assertEqual(ran.status, 2, ran)
            self.assertIn("increment: there is no lesson.md in this folder, so it is not a lesson", ran.err.replace("/:", ":"))
            self.assertEqual(ran.err.count("\n"), 1, ran)

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_a_folder_without_permission(self):
        folder = self.folder / "folder"
        folder.mkdir()
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
        ran = self.headway("run", "increment", "--report", folder / "r.json")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("Permission denied", ran.err)

    def test_a_full_disk_is_an_error_after_the_run(self):
        for option in ("--report", "--trace"):
            ran = self.headway("run", "increment", "--set", "n=5", option, "/dev/full")
            self.assertEqual(ran.status, 2, ran)
            self.assertIn("No space left on device", ran.err)

    def test_an_old_file_survives_a_failed_run(self):
        path = self.folder / "r.json"
        path.write_text("old")
        ran = self.headway("run", "train", "--set", "batches=0", "--report", path)
        self.assertEqual(ran.status, 2, ran)
        self.assertEqual(path.read_text(), "old")

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            ran = self.headway("run", "increment", "--set", "n=5", stdout=full)
        self.assertEqual(ran.status, 1)
        self.assertIn("No space left on device", ran.err)
        # A reader that closes the pipe does not fail the run.
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([RUNNER, "run", "increment", "--set", "n=5", "--report", "r.json"], stdout=write,
                              stderr=subprocess.PIPE, timeout=60, cwd=self.folder)
        os.close(write)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "r.json").exists())

    @unittest.skipUnless(WITH_FIGURES, "built without figures")
    def test_named_pipes(self):
        os.mkfifo(self.folder / "pipe.json")
        ran = self.headway("figure", "pipe.json", "-o", "f.png")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("pipe.json is a pipe that nothing writes to", ran.err)
        self.assertEqual(self.headway("run", "increment", "--set", "n=9", "--trace", "t.json").status, 0)
        with subprocess.Popen(["/bin/sh", "-c", "cat t.json > pipe.json"], cwd=self.folder):
            ran = self.headway("figure", "pipe.json", "-o", "f.png")
        self.assertEqual(ran.status, 0, ran)

    def test_nothing_is_written_over_what_is_read(self):
        program = self.folder / "mine.py"
        text = "import headway as hw\nprint(hw.ones(2))\n"
        program.write_text(text, encoding="utf-8")
        trace = self.folder / "t.json"
        self.assertEqual(self.headway("run", program, "--trace", trace).status, 0)
        recorded = trace.read_bytes()
        lesson = self.folder / "lesson" / "lesson.md"
        lesson.parent.mkdir()
        lesson.write_text("---\nid: own\ntitle: Mine\nprogram: mine.py\n---\nText.\n")
        (lesson.parent / "mine.py").write_text(text)
        around = self.folder / ".." / self.folder.name
        for words in (
            ["run", f"{lesson.parent}/", "--report", lesson],
            ["run", f"{lesson.parent}/", "--trace", lesson.parent / "mine.py"],
            ["run", program, "--report", around / "mine.py"],
            ["run", program, "--trace", program, "--device", "simulated"],
            ["compare", "--a", trace, "--b", trace, "--report", around / "t.json"],
            ["compare", program, "--a", "", "--b", "", "--report", program],
            ["explore", program, "--orders", "1", "--report", around / "mine.py"],
            ["check", "needless-barrier", program, "-o", around / "mine.py"],
            ["check", "needless-barrier", self.folder, "-o", around / "mine.py"],
        ):
            ran = self.headway(*words)
            self.assertEqual(ran.status, 2, ran)
        ran = self.headway("run", program, "--report", self.folder / "same.json", "--trace", around / "same.json")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("asked for twice", ran.err)
        self.assertEqual(program.read_text(encoding="utf-8"), text)
        self.assertEqual(trace.read_bytes(), recorded)

    def test_a_full_recording_is_reported(self):
        # Too small even for one chunk of each stream, so that nothing can be given back.
        report = self.run_program("increment", "--set", "n=300000", "--trace-limit", "8M", status=4)
        self.assertIn("did not fit into the recording", report["stderr"])
        self.assertEqual(report["end"]["verdict"], "overflowed")
        self.assertGreater(report["lost_records"], 0)
        # Whatever is computed from more than one record is unknown, at each depth.
        self.assertEqual(sorted(numbers_without_support(report)), [])
        self.assertEqual([set(device) - {"id", "kind", "name", "simulated", "lanes"} == set(UNKNOWN_OF_DEVICES)
                          for device in report["devices"]], [True])


if __name__ == "__main__":
    main()
