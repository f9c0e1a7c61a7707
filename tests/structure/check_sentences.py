#!/usr/bin/env python3
"""Checks that every wording of a generated sentence about a run occurs in the expected text of some test.

    check_sentences.py [ROOT]

A wording is a string literal of the sources in GROUPS, adjacent literals joined. Names that are no text are left out: ids
of a sentence's numbers, format strings of printf, paths of includes. A test that expects the wording has it in a string
literal of its own, or, in Python, anywhere in its text.

Exit status: 0 when everything holds, 1 with one line for each wording that no test expects.
"""

import re
import sys
from pathlib import Path

# (sources, tests that expect their words)
GROUPS = (
    (("app/model/explanation/*_sentences.cpp", "app/model/explanation/time_bar.cpp", "app/model/explanation/facts.cpp"),
     ("tests/unit/model/explanation/*.cpp",)),
    (("app/model/explanation/sentence_writer.cpp",), ("tests/unit/model/explanation/*.cpp",)),
    (("app/comparison/sentences.cpp", "app/comparison/naming.cpp", "app/comparison/verdict.cpp"),
     ("tests/unit/comparison/*.cpp",)),
    (("app/model/run/run_end.cpp",), ("tests/unit/model/run/*.cpp",)),
    (("app/model/moment/moment.cpp",), ("tests/unit/model/moment/*.cpp",)),
    (("app/model/numbers/regime.cpp", "app/model/numbers/numbers.cpp", "app/model/numbers/prediction.cpp"),
     ("tests/unit/model/numbers/*.cpp", "tests/unit/model/explanation/*.cpp", "tests/checker/prediction.py")),
)

LITERAL = r'(?:u8|L)?"((?:[^"\\\n]|\\.)*)"'
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|' + LITERAL + r"|'(?:[^'\\\n]|\\.)+'", re.S)
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "0": "\0", "'": "'"}
# Calls whose first argument is an id.
ID_CALL = re.compile(r"\b(?:time|moment|share|bytes|budget|count|times|number)\(\s*$")
# Names of numbers and of JSON's fields.
ID = re.compile(r"[a-z]+(?:_[a-z]+)+")
FORMAT = re.compile(r"%[-+ #0-9.*]*[a-zA-Z]")


def unescaped(text):
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found.group(1), found.group(1)), text)


def literals(text):
    """(line, text before it, the literal) of each string literal, adjacent ones joined."""
    found = []
    end = None
    for token in TOKEN.finditer(text):
        if token.group(2) is None and token.group(3) is None:
            continue
        words = token.group(2) if token.group(2) is not None else unescaped(token.group(3))
        if end is not None and not text[end:token.start()].strip():
            line, before, first = found[-1]
            found[-1] = (line, before, first + words)
        else:
            found.append((text.count("\n", 0, token.start()) + 1, text[:token.start()], words))
        end = token.end()
    return found


def wordings(text):
    """(line, wording) of each literal that is text for a reader."""
    for line, before, words in literals(text):
        last = before[before.rfind("\n") + 1:]
        if last.lstrip().startswith("#include") or ID_CALL.search(before) or not re.search(r"[^\W\d_]", words):
            continue
        if ID.fullmatch(words):
            continue
        if re.search(r"\b(?:snprintf|sprintf|printf)\([^;]*$", before[-200:]):
            for part in FORMAT.split(words):
                if re.search(r"[^\W\d_]", part):
                    yield line, part
            continue
        yield line, words


def expected(root, patterns):
    texts = []
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            text = path.read_text(encoding="utf-8")
            texts += [text] if path.suffix == ".py" else [words for _, _, words in literals(text)]
    return texts


def missing(root, groups=GROUPS):
    """"path:line: wording" of each wording that no test expects; and complaints about groups without files."""
    complaints = []
    for sources, tests in groups:
        texts = expected(root, tests)
        if not texts:
            complaints.append(f"{', '.join(tests)}: no expected text")
        for pattern in sources:
            paths = sorted(root.glob(pattern))
            if not paths:
                complaints.append(f"{pattern}: no such file")
            for path in paths:
                for line, words in wordings(path.read_text(encoding="utf-8")):
                    # A sentence's first letter is raised afterwards.
                    if not any(words in text or words[0].upper() + words[1:] in text for text in texts):
                        complaints.append(f"{path.relative_to(root).as_posix()}:{line}: no test expects {words!r}")
    return complaints


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    complaints = missing(root)
    print("\n".join(complaints) if complaints else "every wording of a sentence is expected by a test")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
