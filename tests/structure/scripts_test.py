#!/usr/bin/env python3
"""scripts/run and scripts/lib-install with a pretended system around them: what they install, build and start."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"

# Each stands in for a command, notes how it was called, and answers from files in $FAKE.
FAKES = {
    "dpkg-query": 'for name; do grep -qx -- "$name" "$FAKE/installed" && echo "ii $name"; done; true',
    "apt-get": '''case " $* " in *" install "*) for name; do :; echo "$name" >>"$FAKE/installed"; done;; esac
                  [ ! -e "$FAKE/apt-fails" ]''',
    "apt-cache": 'if grep -qx -- "$2" "$FAKE/available"; then echo "  Candidate: 1.0"; seq 50000; else echo "  Candidate: (none)"; fi',
    "id": 'cat "$FAKE/user"',
    "sudo": 'exec "$@"',
    "cmake": '''directory=build/$2; [ ! -e "$FAKE/cmake-fails" ] || { echo "CMake Error: no"; exit 1; }
                mkdir -p "$directory"; : >"$directory/build.ninja"; cat "$FAKE/configured"''',
    "ccache": "true",
    "ldconfig": 'cat "$FAKE/libraries"',
    "ninja": '''[ ! -e "$FAKE/ninja-fails" ] || { echo "FAILED: main.o"; echo "main.cpp:1: error: no"; exit 1; }
                sleep "$(cat "$FAKE/build-time")"; cp "$FAKE/headway" "$2/headway"
                ! grep -q "CUDA device: built" "$FAKE/configured" || : >"$2/libheadway_cuda.so"''',
}


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="with a space ")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name, "head way")
        self.fake = Path(folder.name, "fake")
        self.bin = Path(folder.name, "bin")
        for path in (self.root, self.fake, self.bin):
            path.mkdir()
        shutil.copytree(SCRIPTS, self.root / "scripts")
        (self.root / "CMakePresets.json").write_text("{}")
        for name, body in FAKES.items():
            self.command(name, body)
        for name in ("bash", "sh", "env", "dirname", "sed", "grep", "cat", "cp", "mkdir", "rm", "tail", "cksum",
                     "flock", "nproc", "seq", "sleep"):
            (self.bin / name).symlink_to(shutil.which(name))
        self.note("user", "0\n")
        self.note("build-time", "0")
        self.note("libraries")
        self.note("configured", "-- CUDA device: left out, nvcc was not found\n")
        self.note("installed", self.all_packages())
        self.note("available", self.all_packages())
        program = self.fake / "headway"
        program.write_text('#!/bin/sh\necho "headway $*" >>"$FAKE/calls"\necho "cwd $PWD" >>"$FAKE/calls"\n'
                           'printf "<%s>" "$@"\nexit 7\n')
        program.chmod(0o755)

    def command(self, name, body):
        path = self.bin / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>"$FAKE/calls"\n{body}\n')
        path.chmod(0o755)

    def note(self, name, text=""):
        (self.fake / name).write_text(text)

    @staticmethod
    def all_packages():
        listed = subprocess.run(["bash", "-c", f'source "{SCRIPTS}/lib-install"; printf "%s\\n" "${{user_packages[@]}}"'],
                                check=True, capture_output=True, text=True).stdout
        return "".join(line.split("|")[0] + "\n" for line in listed.splitlines())

    def leave_out(self, *names):
        self.note("installed", "".join(f"{line}\n" for line in self.all_packages().split() if line not in names))

    def run_script(self, *arguments, display=":1"):
        environment = {"PATH": str(self.bin), "FAKE": str(self.fake), "HOME": os.environ.get("HOME", "/")}
        if display:
            environment["DISPLAY"] = display
        (self.fake / "calls").write_text("")
        done = subprocess.run([self.root / "scripts" / "run", *arguments], check=False, capture_output=True, text=True,
                              env=environment, cwd="/")
        self.calls = (self.fake / "calls").read_text()
        return done

    def called(self, name):
        return sum(line.startswith(name + " ") for line in self.calls.splitlines())

    def test_builds_and_starts_with_its_arguments(self):
        done = self.run_script("run", "train", "--set", "a b=c")
        self.assertEqual(done.returncode, 7, done.stderr)  # the program's own status
        self.assertEqual(done.stdout, "<run><train><--set><a b=c>")
        self.assertIn("cmake --preset release -DCMAKE_CXX_COMPILER_LAUNCHER=ccache", self.calls)
        self.assertIn("cwd /\n", self.calls)
        self.assertEqual(self.called("apt-get"), 0)
        self.assertIn("ninja -C", self.calls)

    def test_says_so_when_building_takes_long(self):
        self.note("build-time", "1.5")
        self.assertRegex(self.run_script("devices").stderr, r"building release, the first time: about \d+ minutes\n")
        (self.root / "build/release/.ninja_log").touch()
        self.assertIn("building release\n", self.run_script("devices").stderr)

    def test_is_silent_and_does_nothing_the_second_time(self):
        self.run_script("devices")
        done = self.run_script("devices")
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.called("cmake"), 0)

    def test_configures_anew_when_the_presets_change_or_the_folder_moves(self):
        self.run_script("devices")
        (self.root / "CMakePresets.json").write_text("{ }")
        self.run_script("devices")
        self.assertEqual(self.called("cmake"), 1)
        moved = self.root.with_name("moved")
        self.root.rename(moved)
        self.root = moved
        self.run_script("devices")
        self.assertEqual(self.called("cmake"), 1)

    def test_installs_only_what_is_missing(self):
        self.leave_out("libcairo2-dev", "g++")
        done = self.run_script("devices")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("install --no-install-recommends g++ libcairo2-dev\n", self.calls)
        self.assertIn("installing 2 packages: g++ libcairo2-dev", done.stderr)
        self.assertEqual(self.calls.count(" update"), 1)
        self.assertEqual(self.called("sudo"), 0)

    def test_takes_the_other_name_where_the_first_is_not_known(self):
        self.leave_out("pkg-config")
        self.note("available", "pkgconf\n")
        self.run_script("devices")
        self.assertIn("install --no-install-recommends pkgconf\n", self.calls)
        self.note("installed", (self.fake / "installed").read_text().replace("pkg-config\n", ""))
        self.run_script("devices")  # the other name counts as installed
        self.assertEqual(self.called("apt-get"), 0)

    def test_installs_what_programs_need_when_they_run(self):
        self.leave_out("python3-numpy", "procps")
        self.run_script("devices")
        self.assertIn("install --no-install-recommends python3-numpy procps\n", self.calls)

    def test_builds_all_that_a_user_needs(self):
        self.run_script("devices")
        self.assertRegex(self.calls, r"ninja -C .* for_users\n")

    def test_says_what_to_install_for_a_gpu_that_has_a_driver_and_no_toolkit(self):
        self.assertNotIn("NVIDIA", self.run_script("devices").stderr)  # no driver
        self.note("libraries", "\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/libcuda.so.1\n")
        (self.root / "CMakePresets.json").write_text("{ }")
        said = self.run_script("devices").stderr
        self.assertIn("there is an NVIDIA driver, but the device cuda could not be built: nvcc was not found\n", said)
        self.assertIn("install CUDA 12.0 or later from https://developer.nvidia.com/cuda-downloads", said)
        self.assertEqual(self.run_script("devices").stderr, "")  # told once per configuration

        self.note("available", self.all_packages() + "cuda-nvcc-13-0\n")
        (self.root / "CMakePresets.json").write_text("{  }")
        self.assertIn("to build it: apt install cuda-nvcc-13-0 ", self.run_script("devices").stderr)

        self.note("configured", "-- CUDA device: built\n")
        (self.root / "CMakePresets.json").write_text("{   }")
        self.assertEqual(self.run_script("devices").stderr, "")

    def test_configures_anew_when_a_cuda_compiler_appears(self):
        self.run_script("devices")
        self.command("nvcc", "true")
        self.run_script("devices")
        self.assertEqual(self.called("cmake"), 1)
        self.run_script("devices")
        self.assertEqual(self.called("cmake"), 0)

    def test_uses_sudo_only_when_it_must(self):
        self.note("user", "1000\n")
        self.run_script("devices")
        self.assertEqual(self.called("sudo"), 0)
        self.leave_out("g++")
        self.run_script("devices")
        self.assertIn("sudo env DEBIAN_FRONTEND=noninteractive apt-get", self.calls)

    def test_says_so_when_it_may_not_install(self):
        self.note("user", "1000\n")
        self.leave_out("g++")
        (self.bin / "sudo").unlink()
        done = self.run_script("devices")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("needs root or sudo: g++", done.stderr)

    def test_says_so_when_the_distribution_lacks_a_package(self):
        self.leave_out("libimgui-dev")
        self.note("available", "")
        done = self.run_script("devices")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no package libimgui-dev", done.stderr)

    def test_fails_with_the_output_of_what_failed(self):
        self.note("ninja-fails")
        done = self.run_script("devices")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: main.o\nmain.cpp:1: error: no\n", done.stderr)
        self.assertIn("building release failed", done.stderr)
        self.assertNotIn("headway devices", self.calls)

        (self.fake / "ninja-fails").unlink()
        self.note("cmake-fails")
        (self.root / "CMakePresets.json").write_text("{  }")
        done = self.run_script("devices")
        self.assertEqual(done.returncode, 1)
        self.assertIn("CMake Error: no", done.stderr)
        (self.fake / "cmake-fails").unlink()
        self.assertEqual(self.run_script("devices").returncode, 7)  # and it is configured again afterwards

    def test_runs_the_default_lesson_where_there_is_no_display(self):
        (self.fake / "headway").write_text((self.fake / "headway").read_text().replace("exit 7", "exit 0"))
        done = self.run_script(display=None)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no display", done.stderr)
        root = self.root.resolve()
        self.assertIn(f"headway run train --figure {root}/build/train.png --report {root}/build/train.json", self.calls)
        self.assertIn(f"{root}/build/train.png", done.stderr)

    def test_opens_the_window_where_there_is_a_display(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 7)
        self.assertIn("headway \n", self.calls)


if __name__ == "__main__":
    unittest.main()
