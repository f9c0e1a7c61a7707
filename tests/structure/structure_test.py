#!/usr/bin/env python3
"""The checks of this folder must be able to fail: each violation, in a small tree of its own, is found."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_classes  # noqa: E402
import check_docs  # noqa: E402
import check_includes  # noqa: E402
import check_sentences  # noqa: E402

LINKS = Path(__file__).with_name("check_links.py")


def violations(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(("#pragma once\n" if name.endswith(".h") else "") + text)
        return check_includes.check(Path(folder))


class Classes(unittest.TestCase):
    def errors(self, members, comment="", kind="class"):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "app").mkdir()
            Path(folder, "app/panel.h").write_text(
                f"{comment}\n{kind} Panel : public Base {{\npublic:\n    Panel() = delete;\n    ~Panel();\n"
                f"    void draw() override {{}}\n{members}\nprivate:\n    int x_ = 0;\n}};\n")
            return check_classes.check(Path(folder))

    def test_a_class_with_many_members_says_why(self):
        many = "\n".join(f"    [[nodiscard]] int f{i}(int x) const {{ return x; }}" for i in range(26))
        fewer = many.replace(" f0(", " private_: f0(", 1).split("\n", 1)[1]
        self.assertEqual(self.errors(fewer), [])
        self.assertIn("app/panel.h: Panel has 26 public members", "".join(self.errors(many)))
        self.assertEqual(self.errors(many, "// Panel has many public functions because each\n// command is one."), [])
        self.assertEqual(len(self.errors(many, "// Other has many public functions because each is one.")), 1)

    def test_data_counts_and_nested_braces_do_not(self):
        data = "\n".join(f"    std::vector<int> v{i}{{}};" for i in range(26))
        self.assertEqual(len(self.errors(data)), 1)
        self.assertEqual(self.errors("    void f() { int a; int b; " + "f(); " * 40 + "}"), [])
        self.assertEqual(self.errors("    struct Part { int a; " + "int b; " * 40 + "};"), [])


class Includes(unittest.TestCase):
    def expect(self, text, files):
        errors = violations(files)
        self.assertTrue(any(text in line for line in errors), f"{text!r} is not among {errors}")

    def test_accepts_what_the_arrows_allow(self):
        errors = violations({
            "engine/core/ids.h": "",
            "engine/trace/ring.h": '#include <vector>\n#include "engine/core/ids.h"\n',
            "engine/runtime/queue.cpp": '#include "engine/trace/ring.h"\n',  # runtime -> devices -> memory -> trace
            "app/ui/widgets/panel.cpp": '#include <imgui.h>\n#include "engine/core/ids.h"\n',
            "app/main.cpp": '#include "app/ui/widgets/panel.cpp"\n',
        })
        self.assertEqual(errors, [])

    def test_finds_an_include_against_an_arrow(self):
        self.expect("engine/core/ids.h:2: engine/core may not include engine/trace", {
            "engine/trace/ring.h": "",
            "engine/core/ids.h": '#include "engine/trace/ring.h"\n',
        })

    def test_finds_the_engine_including_the_app(self):
        self.expect("the engine never includes app/", {
            "app/model/run/run.h": "",
            "engine/nn/tape.cpp": '#include "app/model/run/run.h"\n',
        })

    def test_finds_the_window_including_the_runtime_or_a_device(self):
        self.expect("app/ui/widgets may not include engine/runtime", {
            "engine/runtime/runtime.h": "",
            "app/ui/widgets/panel.cpp": '#include "engine/runtime/runtime.h"\n',
        })
        self.expect("engine/runtime may not include engine/devices/cpu", {
            "engine/devices/cpu/cpu_device.h": "",
            "engine/runtime/runtime.cpp": '#include "engine/devices/cpu/cpu_device.h"\n',
        })

    def test_allows_single_headers_only_as_named(self):
        tree = {"engine/devices/op.h": "", "engine/devices/device.h": ""}
        use = '#include "engine/devices/op.h"\n'
        errors = violations(tree | {"app/model/run/run.h": use, "app/ui/widgets/legend.h": use})
        self.assertEqual(errors, [])
        self.expect("app/model/run may not include engine/devices",
                    tree | {"app/model/run/run.h": '#include "engine/devices/device.h"\n'})

    def test_finds_vendor_headers_in_the_wrong_place(self):
        for folder, header in (("app/model/run", "imgui.h"), ("app/ui/shell", "GLFW/glfw3.h"), ("app/ui/shell", "epoxy/gl.h"),
                               ("engine/devices/cpu", "cuda_runtime.h"), ("app/runner", "Python.h"),
                               ("app/ui/shell", "cairo/cairo.h"), ("app/model/run", "ft2build.h"),
                               ("engine/runtime", "cblas.h")):
            self.expect(f"{header} may be included by", {f"{folder}/file.cpp": f"#include <{header}>\n"})

    def test_finds_includes_that_are_not_from_the_root(self):
        self.expect("neither from the root", {"engine/core/ids.h": "", "engine/core/ids.cpp": '#include "ids.h"\n'})
        self.expect("written in quotes", {"engine/core/ids.h": "", "engine/core/ids.cpp": "#include <engine/core/ids.h>\n"})
        self.expect("there is no", {"engine/core/ids.cpp": '#include "engine/core/ids.h"\n'})

    def test_finds_folders_in_a_circle(self):
        self.expect("in a circle: app/figure -> app/model/run -> app/figure", {
            "app/figure/figure.h": '#include "app/model/run/run.h"\n',
            "app/model/run/run.h": '#include "app/figure/figure.h"\n',
        })

    def test_finds_folders_without_arrows_and_bad_names(self):
        self.expect("app/gadgets has no arrows", {"app/gadgets/gadget.h": ""})
        self.expect("snake_case", {"engine/core/OpId.h": ""})
        self.expect("device code belongs", {"engine/nn/layers.cu": ""})

    def test_ignores_comments(self):
        errors = violations({
            "engine/core/ids.h": '// #include "app/model/run/run.h"\n/*\n#include "app/model/run/run.h"\n*/\n'})
        self.assertEqual(errors, [])

    def test_finds_long_files_and_full_folders(self):
        self.assertEqual(violations({"engine/core/ids.cpp": "\n" * 500}), [])
        self.expect("engine/core/ids.cpp: 501 lines, and 500 at most", {"engine/core/ids.cpp": "\n" * 501})
        files = {f"engine/core/part_{number}.cpp": "" for number in range(25)}
        self.assertEqual(violations(files), [])
        self.expect("engine/core: 26 files, and 25 at most", files | {"engine/core/one_more.cpp": ""})

    def test_fails_on_a_tree_without_sources(self):
        self.expect("no sources", {"README.md": ""})


class Docs(unittest.TestCase):
    """check_docs.py in a small tree: a lesson, a command line with one option, a header, and pages."""

    TREE = {
        "README.md": "# Small\n\n[Use](docs/use.md), [contribute](CONTRIBUTING.md), [commands](docs/command-line.md#run)\n",
        "CONTRIBUTING.md": "# Contributing\n\n1. `engine/op.h`: a value in `OpKind`.\n\n```sh\ncmake --preset dev\n```\n",
        "docs/use.md": "# Use\n\n`Ring` and `Ring::push` in `engine/ring.h`.\n",
        "docs/command-line.md": "# Command line\n\n## run\n\n`headway run PROGRAM --set NAME=VALUE`\n",
        "engine/op.h": "// docs/use.md has more.\nenum class OpKind { add };\n",
        "engine/ring.h": "class Ring { void push(); };\n",
        "app/runner/command_line/command_line.cpp": 'void add_run_options(CLI::App& app) {\n    app.add_option("--set", set, "a");\n'
                                  '    app.add_option("--fd", fd)->group("");\n}\n',
        "assets/lessons/01-train/lesson.md": "---\nid: train\nparameters:\n  batches: {value: 1}\n---\nText.\n",
        "CMakePresets.json": '{"configurePresets": [{"name": "dev"}]}',
    }

    def errors(self, **changes):
        """`changes`: by the file's name, with / and . and - as underscores, what is added at its end."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in self.TREE.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + changes.pop(name.translate(str.maketrans("/.-", "___")), ""))
            self.assertEqual(changes, {})
            return check_docs.check(folder)[0]

    def expect(self, text, **changes):
        errors = self.errors(**changes)
        self.assertTrue(any(text in line for line in errors), f"{text!r} is not among {errors}")

    def test_accepts_pages_that_are_true(self):
        self.assertEqual(self.errors(), [])
        self.assertEqual(self.errors(docs_use_md="\n```sh\nheadway run train --set batches=3\n```\n"
                                                 "\n[Here](#use), `engine/`, `engine/NAME/`, `--set`, `app/…`\n"), [])

    def test_finds_files_that_are_not_there(self):
        self.expect("docs/use.md:5: there is no engine/queue.h", docs_use_md="\n`engine/queue.h` is gone.\n")
        self.expect("there is no scripts/walk", docs_use_md="\n```sh\nscripts/walk train\n```\n")
        self.expect("engine/op.h: there is no docs/gone.md", engine_op_h="// see docs/gone.md\n")

    def test_finds_names_that_are_not_in_the_file_beside_them(self):
        self.expect("pop is not in engine/ring.h", docs_use_md="\n`pop` in `engine/ring.h`.\n")
        self.expect("Ring::pop is not in", docs_use_md="\nIt waits (`Ring` and `Ring::pop` in `engine/ring.h`).\n")
        self.expect("Queue is not in engine/ring.h", docs_use_md="\nA `Queue` (`engine/ring.h`).\n")
        self.expect("FamilyKind is not in engine/op.h", CONTRIBUTING_md="2. `engine/op.h`: a value in `FamilyKind`.\n")
        self.expect("lost_name is in no source file", docs_use_md="\nThere is `lost_name`.\n")

    def test_finds_commands_and_options_that_are_not_there(self):
        for text, found in (("`headway run train --sett batches=1`", "headway run has no option --sett"),
                            ("`headway run trian`", "neither a command nor a lesson trian"),
                            ("`headway help`", "neither a command nor a lesson help"),
                            ("`headway run train --set batch=1`", "the lesson train has no parameter batch"),
                            ("`--lost`", "has the option --lost")):
            self.expect(found, docs_use_md=f"\n{text}\n")
        self.expect("headway run has no option --sett", README_md="\n```sh\nscripts/run run train \\\n  --sett a=1\n```\n")
        self.expect("there is no preset fast", CONTRIBUTING_md="```sh\ncmake --preset fast\n```\n")

    def test_finds_options_that_no_page_has(self):
        self.expect("the option --seed of headway run is missing",
                    app_runner_command_line_command_line_cpp='core::Result<CommandLine> parse_command_line() {\n'
                                           '    run->add_option("--seed", seed, "b");\n}\n')

    def test_finds_links_that_lead_nowhere(self):
        self.expect("the link gone.md leads nowhere", docs_use_md="\n[Gone](gone.md)\n")
        self.expect("the link picture.png leads nowhere", docs_use_md="\n![Picture](picture.png)\n")
        self.expect("command-line.md has no heading #walk", docs_use_md="\n[Walk](command-line.md#walk)\n")

    def test_finds_a_readme_that_is_long_or_wrong(self):
        self.expect("of at most 149", README_md="\n" * 150)
        self.expect("it speaks of 7 lessons", README_md="\nIt has all 7 of them.\n")
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "docs").mkdir()
            Path(folder, "README.md").write_text("# Alone\n")
            Path(folder, "docs", "use.md").write_text("# Use\n")
            self.assertIn("README.md: docs/use.md is not linked from it", check_docs.check(folder)[0])


class Sentences(unittest.TestCase):
    GROUPS = ((("app/words.cpp",), ("tests/*.cpp", "tests/*.py")),)

    def missing(self, source, test, name="tests/words_test.cpp"):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in (("app/words.cpp", source), (name, test)):
                Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, path).write_text(text)
            return check_sentences.missing(Path(folder), self.GROUPS)

    def test_accepts_wordings_that_a_test_expects(self):
        source = """#include "app/words.h"
            writer.words("The run took ").time("total_ns", ns).words(" in all.");  // "no text"
            add("once, "  // joined
                "or twice");
            std::snprintf(p, sizeof p, "p = %.2g, claimed", p);"""
        self.assertEqual(self.missing(source, """EXPECT_EQ(text, "The run took 3 ns "
            "in all."); EXPECT_EQ(more, "Once, or twice"); EXPECT_EQ(p, "p = 0.01, claimed");"""), [])
        self.assertEqual(self.missing('add("once");', "self.assertIn('once')", "tests/words_test.py"), [])

    def test_finds_a_wording_that_no_test_expects(self):
        self.assertEqual(self.missing('\nadd(slow ? " is slow" : " is fast");', 'EXPECT_EQ(text, "A is slow");'),
                         ["app/words.cpp:2: no test expects ' is fast'"])
        self.assertEqual(len(self.missing('add("p = %d, sure");\nstd::snprintf(p, n, "p = %d, sure", 1);', '"p = 1, "')), 2)
        # Code and comments of a test in C++ expect nothing.
        self.assertEqual(len(self.missing('add("once");', 'once(); // "once"\nEXPECT_EQ(text, "twice");')), 1)

    def test_finds_groups_without_files(self):
        self.assertEqual(self.missing('add("once");', "", "tests/words.txt"),
                         ["tests/*.cpp, tests/*.py: no expected text", "app/words.cpp:1: no test expects 'once'"])
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("app/words.cpp: no such file", check_sentences.missing(Path(folder), self.GROUPS))

    def test_the_tree_itself_fails_without_one_of_its_cases(self):
        root = Path(__file__).resolve().parents[2]
        texts = check_sentences.expected(root, ("tests/unit/model/explanation/*.cpp",))
        self.assertTrue(any("it cost no time." in text for text in texts))
        self.assertFalse(any("it cost no money." in text for text in texts))


class Links(unittest.TestCase):
    def run_check(self, *arguments):
        return subprocess.run([sys.executable, LINKS, *arguments], capture_output=True, text=True)

    def test_finds_a_library(self):
        self.assertEqual(self.run_check("/bin/sh", "--no-library", "libpython").returncode, 0)
        found = self.run_check("/bin/sh", "--no-library", "libc.so")
        self.assertEqual(found.returncode, 1)
        self.assertIn("needs libc.so", found.stdout)

    def test_finds_a_symbol(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "a.cpp")
            source.write_text("namespace inside { int hidden(int x) { return x; } }\nint main() {}\n")
            subprocess.run(["c++", source, "-o", source.with_suffix("")], check=True)
            self.assertEqual(self.run_check(source.with_suffix(""), "--no-symbol", "outside::").returncode, 0)
            found = self.run_check(source.with_suffix(""), "--no-symbol", "inside::")
            self.assertEqual(found.returncode, 1)
            self.assertIn("holds", found.stdout)

    def test_says_when_there_is_nothing_to_check(self):
        self.assertEqual(self.run_check("/nonexistent/program").returncode, 77)


if __name__ == "__main__":
    unittest.main()
