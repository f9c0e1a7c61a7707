"""All lessons and all documents of the chapter run with only the packages that scripts/run installs.

The test enters its own mount namespace, in which /usr/lib/python3/dist-packages holds only the files of these packages
and their dependencies, /usr/local is empty, and PATH has only their programs.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = ROOT.parent / "shared" / "chapter"
RUNNER = os.environ["HEADWAY_RUNNER"]
MODULES = Path("/usr/lib/python3/dist-packages")
# Smaller sizes for lessons that would take seconds.
SMALL = {"train": ["batches=3"], "limits": ["batches=3"], "increment": ["n=1000"], "matmul": ["size=50"]}


def user_packages():
    """The packages that scripts/run installs, as listed in the script."""
    text = subprocess.run(["bash", "-c", f'. "{ROOT}/scripts/lib-install"; printf "%s\\n" "${{user_packages[@]}}"'],
                          capture_output=True, text=True, check=True).stdout
    names = [name for spec in text.split() for name in spec.split("|")]
    known = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Package}\n", *names],
                           capture_output=True, text=True).stdout
    return [line[3:] for line in known.splitlines() if line.startswith("ii ")]


def with_dependencies(packages):
    """These packages, their dependencies, and those of every Debian system."""
    fields = "${db:Status-Abbrev}|${Package}|${Essential}|${Priority}|${Pre-Depends}, ${Depends}|${Provides}\n"
    listed = subprocess.run(["dpkg-query", "-W", "-f", fields], capture_output=True, text=True, check=True).stdout
    depends, providers, found = {}, {}, list(packages)

    def names(text):
        return [word.split()[0].split(":")[0] for word in text.replace("|", ",").split(",") if word.strip()]

    for line in listed.splitlines():
        status, name, essential, priority, needs, provides = line.split("|", 4)[:4] + line.split("|", 4)[4].rsplit("|", 1)
        if status.startswith("ii"):
            depends[name] = names(needs)
            for provided in names(provides):
                providers.setdefault(provided, []).append(name)
            if essential == "yes" or priority in ("required", "important"):
                found.append(name)
    closure = set()
    while found:
        name = found.pop()
        for real in [name] if name in depends else providers.get(name, []):
            if real not in closure:
                closure.add(real)
                found.extend(depends[real])
    return closure


def files_of(packages):
    return subprocess.run(["dpkg-query", "-L", *sorted(packages)], capture_output=True, text=True).stdout.splitlines()


def hide_the_rest(packages):
    """Hides other packages' Python modules and /usr/local from this process and its children."""
    files = files_of(packages)
    kept = {Path(file).relative_to(MODULES).parts[0] for file in files
            if file.startswith(str(MODULES) + "/")}
    aside = Path(tempfile.mkdtemp(prefix="headway-fresh-"))
    modules, programs, empty = aside / "modules", aside / "bin", aside / "empty"
    for folder in (modules, programs, empty):
        folder.mkdir()
    for name in kept:
        source = MODULES / name
        if source.is_dir():
            shutil.copytree(source, modules / name, symlinks=True)
        elif source.exists():
            shutil.copy(source, modules / name)
    for file in files:
        if os.path.dirname(file) in ("/usr/bin", "/bin", "/usr/sbin", "/sbin") and os.path.exists(file):
            link = programs / os.path.basename(file)
            if not link.is_symlink():
                link.symlink_to(file)
    subprocess.run(["mount", "--bind", str(modules), str(MODULES)], check=True)
    subprocess.run(["mount", "--bind", str(empty), "/usr/local"], check=True)
    os.environ["PATH"] = str(programs)
    for name in [name for name in os.environ if name.startswith("PYTHON")]:
        del os.environ[name]
    return aside


def run(*arguments):
    return subprocess.run([RUNNER, "run", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", timeout=300)


class Fresh(unittest.TestCase):
    def good(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done

    def test_every_lesson_runs(self):
        lessons = json.loads(subprocess.run([RUNNER, "lessons", "--json"], capture_output=True, text=True).stdout)
        lessons = lessons["lessons"] if isinstance(lessons, dict) else lessons
        self.assertGreaterEqual(len(lessons), 24)
        for lesson in lessons:
            with self.subTest(lesson=lesson["id"]):
                small = [word for value in SMALL.get(lesson["id"], []) for word in ("--set", value)]
                self.good(lesson["id"], "--device", "simulated", *small)

    @unittest.skipUnless(CHAPTER.exists(), "the chapter's documents are not available")
    def test_documents_run(self):
        # One for each tab and form; tests/python/documents_test.py runs all.
        for number, tab in (("000", "pytorch"), ("002", "mxnet"), ("004", "pytorch")):
            (document,) = glob.glob(str(CHAPTER / f"{number}_*.txt"))
            with self.subTest(document=number, tab=tab), tempfile.TemporaryDirectory() as folder:
                self.good(shutil.copy(document, os.path.join(folder, number + ".md")), "--device", "simulated",
                          "--tab", tab)

    def test_a_hidden_module_is_reported_missing(self):
        # Without NumPy the lessons report that it is missing: this proves that hiding works.
        subprocess.run(["mount", "-t", "tmpfs", "none", str(MODULES)], check=True)
        try:
            done = run("who-waits", "--device", "simulated")
        finally:
            subprocess.run(["umount", str(MODULES)], check=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("python3-numpy", done.stderr)


def main():
    if os.environ.get("HEADWAY_FRESH") != "inside":
        # A new namespace, in which the user is root.
        os.environ["HEADWAY_FRESH"] = "inside"
        command = ["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"])]
        tried = subprocess.run([*command, "mount", "-t", "tmpfs", "none", str(MODULES)], capture_output=True, text=True)
        if tried.returncode != 0:
            print("skipped: no mount namespace can be made here:", tried.stderr.strip())
            sys.exit(77)
        os.execvp(command[0], [*command, sys.executable, os.path.abspath(__file__)])
    aside = hide_the_rest(with_dependencies(user_packages()))
    try:
        unittest.main(verbosity=1)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


if __name__ == "__main__":
    main()
