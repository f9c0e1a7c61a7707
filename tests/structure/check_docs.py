#!/usr/bin/env python3
"""Checks that README.md, CONTRIBUTING.md and docs/*.md name only what exists.

    check_docs.py [ROOT]

What is checked:
- Every path in code style (`engine/trace/format.h`) exists. Paths with NAME, NN or an ellipsis are patterns, and skipped.
- Every name with a file beside it is in that file: "`name` in `path`", "`name` (`path`)", and in a paragraph or list item
  that says "`path`: ...", the names behind it. Other names that look like C++ or report fields are in some source file.
- Every command line of headway has known commands, options, and parameters of lessons; other options in code style are
  options of headway or of a script of this repository. docs/command-line.md has every option that headway lists.
- Pages of docs/ that sources refer to exist.
- Links lead to files and headings. Each page of docs/ is linked from README.md, which has at most 149 lines and names the
  right number of lessons. Presets exist.

Exit status: 0 when everything holds, 1 with one line for each thing that does not.
"""

import json
import re
import shlex
import sys
from pathlib import Path

README_LINES = 149
SOURCE_SUFFIXES = {".h", ".cpp", ".cu", ".inc", ".py", ".txt", ".cmake", ".json", ".in", ".sh", ".frag", ".vert", ".glsl"}
SOURCE_FOLDERS = ("engine", "app", "tests", "scripts", "shaders", "third_party", "assets")
ROOT_FILES = {"CMakeLists.txt", "CMakePresets.json", "README.md", "CONTRIBUTING.md", "LICENSE", ".clang-format", ".clang-tidy"}
OWN_FILES = {"check_docs.py", "structure_test.py"}  # they name what is not there
# Words of a style, no names.
STYLES = {"PascalCase", "snake_case", "name_"}
# Pages that quote names of other projects' sources.
FOREIGN_NAMES = {"docs/profiles.md"}

PATH = re.compile(r"(?:engine|app|tests|scripts|shaders|third_party|assets|docs|\.ci)(?:/[\w.-]+)*/?")
NAME = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*(?:\(\))?")
PATTERN = re.compile(r"NAME|NN-|…|\.\.\.|~")
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"!?\[(?:[^\]`]|`[^`]*`)*\]\(([^)\s]+)\)")
COMMANDS = ("run", "compare", "explore", "explain", "figure", "check", "lessons", "devices", "bench")


# ---- pages ----

class Page:
    """A Markdown file: its blocks of prose, each with its first line's number, and its lines of code."""

    def __init__(self, root, path):
        self.name = path.relative_to(root).as_posix()
        self.folder = path.parent
        self.text = path.read_text(encoding="utf-8")
        self.blocks, self.code, self.headings = [], [], set()
        lines, begin, fence = [], 0, None
        for number, line in enumerate(self.text.splitlines(), 1):
            if fence is not None:
                if line.strip() == fence:
                    fence = None
                else:
                    self.add_code(number, line)
                continue
            opening = re.match(r"\s*(`{3,})", line)
            if opening:
                fence = opening.group(1)
            heading = re.match(r"#+ +(.*)", line)
            if heading:
                self.headings.add(slug(heading.group(1)))
            starts = opening or heading or not line.strip() or re.match(r"\s*(?:[-*]|\d+\.) |\|", line)
            if starts and lines:
                self.blocks.append((begin, " ".join(lines)))
                lines = []
            if not opening and line.strip():
                begin = begin if lines else number
                lines.append(line.strip())
        if lines:
            self.blocks.append((begin, " ".join(lines)))

    def add_code(self, number, line):
        """Lines that end in a backslash go on in the next one."""
        if self.code and self.code[-1][1].endswith("\\"):
            self.code[-1] = (self.code[-1][0], self.code[-1][1][:-1] + line)
        else:
            self.code.append((number, line))


def slug(heading):
    """A heading's anchor, as GitHub makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def pages_of(root):
    files = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    return [Page(root, path) for path in files if path.is_file()]


# ---- what the program knows ----

def function_text(text, signature):
    """The text of a function from its signature's begin to the brace in the first column."""
    begin = text.find(signature)
    return "" if begin < 0 else text[begin:text.find("\n}", begin)]


class CommandLine:
    """Options by command, as the sources define them; "" is the window's. `listed`: those that --help shows."""

    def __init__(self, root):
        self.options = {command: {"--help", "-h"} for command in ("", *COMMANDS)}
        self.listed = {command: set() for command in ("", *COMMANDS)}
        paths = sorted((root / "app/runner/command_line").glob("*.cpp"))
        text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
        figure = set(re.findall(r'"--" \+ prefix \+ "([\w-]+)"', function_text(text, "void add_figure_options")))
        settings = set(re.findall(r'(?:add|add_option)\("(--[\w-]+)"', function_text(text, "Option*> add_settings(")))
        for command, names in (("run", settings), ("compare", settings), ("explore", settings), ("figure", {"--" + name for name in figure}),
                               ("run", {"--figure-" + name for name in figure}),
                               ("compare", {"--figure-" + name for name in figure})):
            self.add(command, names, True)
        self.read(function_text(text, "void add_run_options"), {"app": "run"})
        self.read(function_text(text, "void add_check_options"), {"app": "check"})
        self.read(function_text(text, "core::Result<CommandLine> parse_command_line"),
                  {command: command for command in COMMANDS})
        path = root / "app/main.cpp"
        self.read(path.read_text(encoding="utf-8") if path.is_file() else "", {"app": ""})
        for command in COMMANDS:
            self.options[command].add("--version")

    def add(self, command, names, listed):
        self.options[command] |= names
        if listed:
            self.listed[command] |= names

    def read(self, text, commands):
        for variable, names, rest in re.findall(r'(\w+)(?:\.|->)add_(?:option|flag)\(\s*"(-[^"]*)"([^;]*);', text):
            if variable in commands:
                self.add(commands[variable], set(names.split(",")), '->group("")' not in rest)


def parameters_of_lessons(root):
    """{id: names of its parameters}, from the front matter of the lessons."""
    lessons = {}
    for file in sorted((root / "assets/lessons").glob("*/lesson.md")):
        front = file.read_text(encoding="utf-8").split("\n---", 1)[0]
        found = re.search(r"^id: *(\S+)", front, re.M)
        behind = front.partition("\nparameters:")[2]
        if found:
            lessons[found.group(1)] = set(re.findall(r"^  ([\w]+):", behind, re.M))
    return lessons


def words_of_sources(root):
    """The words of all sources, the options of scripts, and {page of docs/ that is spoken of: a file that does}."""
    words, options, pages = set(), set(), {}
    for folder in SOURCE_FOLDERS:
        for path in (root / folder).rglob("*"):
            if "corpus" in path.parts or "__pycache__" in path.parts or path.name in OWN_FILES or not path.is_file():
                continue
            if path.suffix in SOURCE_SUFFIXES or folder == "scripts":
                text = path.read_text(encoding="utf-8", errors="replace")
                words |= set(re.findall(r"\w+", text))
                words.add(path.stem)
                for page in re.findall(r"(?<![\w/])docs/[\w/-]+\.md", text):
                    pages.setdefault(page, path.relative_to(root).as_posix())
                options |= set(re.findall(r'add_argument\(\s*"(--[a-z][\w-]*)"', text))
                if folder == "scripts":
                    options |= set(re.findall(r"(--[a-z][\w-]*)(?: \| [-\w]+)?\)", text))  # of a case
    for name in ("CMakeLists.txt", "CMakePresets.json"):
        if (root / name).is_file():
            words |= set(re.findall(r"\w+", (root / name).read_text(encoding="utf-8")))
    return words, options, pages


# ---- the checks ----

class Checker:
    def __init__(self, root):
        self.root = root
        self.pages = pages_of(root)
        self.command_line = CommandLine(root)
        self.lessons = parameters_of_lessons(root)
        self.words, self.script_options, self.pages_of_sources = words_of_sources(root)
        self.errors = []
        self.counts = {"files": 0, "names": 0, "options": 0, "links": 0}
        self.texts = {}

    def fail(self, page, number, message):
        self.errors.append(f"{page.name}:{number}: {message}")

    def is_path(self, code):
        return not PATTERN.search(code) and (code in ROOT_FILES or
                                             (PATH.fullmatch(code) is not None and ("/" in code.rstrip("/") or code.endswith("/"))))

    def check_path(self, page, number, code):
        self.counts["files"] += 1
        if not (self.root / code).exists():
            self.fail(page, number, f"there is no {code}")

    def has_name(self, path, name):
        """Whether each part of the name is a word of the file."""
        if path not in self.texts:
            file = self.root / path
            self.texts[path] = set(re.findall(r"\w+", file.read_text(encoding="utf-8", errors="replace"))
                                   ) if file.is_file() else None
        words = self.texts[path]
        return words is None or all(part in words for part in name.removesuffix("()").split("::"))

    def check_name(self, page, number, name, paths):
        files = [path for path in paths if (self.root / path).is_file()]
        if not files:
            return
        self.counts["names"] += 1
        if not any(self.has_name(path, name) for path in files):
            self.fail(page, number, f"{name} is not in {' or '.join(files)}")

    def looks_like_source(self, name):
        bare = name.removesuffix("()")
        return bare not in STYLES and ("::" in bare or "_" in bare.strip("_") or re.match(r"k?[A-Z][a-z0-9]+[A-Z]", bare) is not None)

    def check_block(self, page, number, text):
        """Names and paths of one paragraph, list item or row of a table."""
        spans = [(m.start(), m.end(), m.group(1)) for m in CODE.finditer(text)]
        heads = []  # the paths of the last "`path`:", and the names since that are bound to them
        i = 0
        while i < len(spans):
            begin, end, code = spans[i]
            if self.is_path(code):
                self.check_path(page, number, code)
                group = [code]
                while i + 1 < len(spans) and text[end:spans[i + 1][0]] in (", ", " and ", " or ") and \
                        self.is_path(spans[i + 1][2]):
                    i, end = i + 1, spans[i + 1][1]
                    group.append(spans[i][2])
                    self.check_path(page, number, spans[i][2])
                if text[end:end + 1] == ":":
                    heads = group
            elif PATTERN.search(code) and "/" in code and text[end:end + 1] == ":":
                heads = []
            elif NAME.fullmatch(code):
                # `a`, `b` and `c` in `path`; `a` (`path`); else the last "`path`:".
                group = [code]
                while i + 1 < len(spans) and text[end:spans[i + 1][0]] in (", ", " and ", " or ") and \
                        NAME.fullmatch(spans[i + 1][2]) and not self.is_path(spans[i + 1][2]):
                    i, end = i + 1, spans[i + 1][1]
                    group.append(spans[i][2])
                beside = i + 1 < len(spans) and text[end:spans[i + 1][0]] in (" in ", " (") and self.is_path(spans[i + 1][2])
                for name in group:
                    if beside:
                        self.check_name(page, number, name, [spans[i + 1][2]])
                    elif heads:
                        self.check_name(page, number, name, heads)
                    elif self.looks_like_source(name) and page.name not in FOREIGN_NAMES:
                        self.counts["names"] += 1
                        if not all(part in self.words for part in name.removesuffix("()").split("::")):
                            self.fail(page, number, f"{name} is in no source file")
            elif code.startswith(("headway ", "scripts/")):
                self.check_command(page, number, code)
            else:
                for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", code):
                    self.check_option(page, number, option)
            i += 1

    def check_option(self, page, number, option):
        known = set().union(self.script_options, *self.command_line.options.values())
        self.counts["options"] += 1
        if option not in known and not option.endswith("-"):  # "--figure-…": several
            self.fail(page, number, f"neither headway nor a script has the option {option}")

    def check_command(self, page, number, line):
        """A command line: of headway, or of scripts/run, which passes its arguments on."""
        try:
            words = shlex.split(line.split("  #", 1)[0].replace("\\|", "|"))
        except ValueError:
            words = line.split()
        words = [word for word in words if word not in ("…", "|")]
        if not words:
            return
        program = words[0]
        if program.startswith(("scripts/", "tests/")):
            self.check_path(page, number, program)
        if program not in ("headway", "scripts/run", "build/release/headway"):
            return
        arguments = words[1:]
        command = arguments[0] if arguments and arguments[0] in COMMANDS else ""
        first = arguments[1 if command else 0:][:1]
        known = set(self.lessons) | set(re.findall(r"^id: *(\S+)", page.text, re.M))
        lesson = first[0] if first and re.fullmatch(r"[a-z][a-z-]*", first[0]) else ""
        if lesson and command in ("", "run", "compare") and lesson not in known:
            self.fail(page, number, f"headway has neither a command nor a lesson {lesson}")
        self.check_options(page, number, command, arguments, lesson)

    def check_options(self, page, number, command, words, lesson):
        for i, word in enumerate(words):
            if not word.startswith("-") or (i > 0 and words[i - 1] in ("--a", "--b")):
                continue
            option = word.split("=", 1)[0]
            self.counts["options"] += 1
            if option not in self.command_line.options[command]:
                self.fail(page, number, f"headway {command or '[LESSON | FILE]'} has no option {option}")
            value = words[i + 1] if i + 1 < len(words) else ""
            if command == "compare" and option in ("--a", "--b") and value.startswith("-"):
                self.check_options(page, number, "run", shlex.split(value), lesson)
            if option == "--set" and lesson in self.lessons and not value.isupper() and "NAME" not in value:
                name = value.split("=", 1)[0]
                if name not in self.lessons[lesson]:
                    self.fail(page, number, f"the lesson {lesson} has no parameter {name}")

    def check_links(self, page):
        for match in LINK.finditer(page.text):
            target = match.group(1)
            if re.match(r"<?[a-z]+:", target):  # an address of its own, such as https: or a lesson's look:
                continue
            number = page.text.count("\n", 0, match.start()) + 1
            self.counts["links"] += 1
            file, _, anchor = target.partition("#")
            path = (page.folder / file).resolve() if file else self.root / page.name
            if not path.exists():
                self.fail(page, number, f"the link {target} leads nowhere")
            elif anchor and anchor not in Page(self.root, path).headings:
                self.fail(page, number, f"{file or page.name} has no heading #{anchor}")

    def check_readme(self):
        readme = next((page for page in self.pages if page.name == "README.md"), None)
        if readme is None:
            self.errors.append("README.md: there is none")
            return
        lines = readme.text.count("\n")
        if lines > README_LINES:
            self.errors.append(f"README.md: {lines} lines, of at most {README_LINES}")
        linked = {target.split("#")[0] for target in LINK.findall(readme.text)}
        for page in self.pages:
            if page is not readme and page.name not in linked:
                self.errors.append(f"README.md: {page.name} is not linked from it")
        for count in re.findall(r"\ball (\d+)\b", readme.text):
            if int(count) != len(self.lessons):
                self.errors.append(f"README.md: it speaks of {count} lessons, and there are {len(self.lessons)}")

    def check_all_options(self):
        page = next((page for page in self.pages if page.name == "docs/command-line.md"), None)
        if page is None:
            return
        named = set(re.findall(r"(?<![\w-])-{1,2}[a-z][\w-]*", page.text)) | {"-h", "--help"}
        for command, options in self.command_line.listed.items():
            for option in sorted(options - named):
                self.errors.append(f"docs/command-line.md: the option {option} of headway {command or '[LESSON | FILE]'} "
                                   "is missing")

    def check_presets(self, page):
        file = self.root / "CMakePresets.json"
        known = {preset["name"] for preset in json.loads(file.read_text())["configurePresets"]} if file.is_file() else set()
        for number, line in page.code:
            for preset in re.findall(r"--preset (\w+)", line):
                if preset not in known:
                    self.fail(page, number, f"there is no preset {preset}")

    def check(self):
        for page in self.pages:
            for number, text in page.blocks:
                self.check_block(page, number, text)
            for number, line in page.code:
                self.check_command(page, number, line.strip())
            self.check_links(page)
            self.check_presets(page)
        for page, file in sorted(self.pages_of_sources.items()):
            if not (self.root / page).is_file():
                self.errors.append(f"{file}: there is no {page}")
        self.check_readme()
        self.check_all_options()
        return self.errors


def check(root):
    """(errors, counts): a list of lines, and how much was looked at."""
    checker = Checker(Path(root).resolve())
    return checker.check(), checker.counts


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    errors, counts = check(root)
    for line in errors:
        print(line)
    print(f"{len(errors)} errors" if errors else "the pages hold: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
