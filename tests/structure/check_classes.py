#!/usr/bin/env python3
"""Checks that classes of engine/ and app/ with many public members say why.

    check_classes.py [ROOT]

A class with more than 25 of them, those that override another's not counted, has in its file a sentence of the form
"Name has many public members because ..." (or functions). Exit status: 0 when each has, 1 with one line for each that
has not.
"""

import re
import sys
from pathlib import Path

MOST_MEMBERS = 25
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"')
CLASS = re.compile(r"\bclass\s+([A-Z]\w*)(?:\s+final)?\s*(?::[^{;]*)?\{")
ACCESS = re.compile(r"\b(public|protected|private)\s*:(?!:)")
NO_MEMBER = re.compile(r"(friend|using|static_assert|class|struct|enum)\b|~|.*=\s*(delete|default)$", re.S)


def body_at(text, start):
    """The text from `start`, just after a "{", to its "}"; each inner pair of braces is "{};"."""
    depth, body = 1, []
    for letter in text[start:]:
        if letter == "}":
            depth -= 1
            if depth == 0:
                break
            if depth == 1:
                body.append("};")
        elif depth == 1:
            body.append(letter)
        if letter == "{":
            depth += 1
    return "".join(body)


def public_members(body):
    """How many public members a class with this body declares, without those that override another's."""
    access, count = "private", 0
    for part in re.split(r"(\b(?:public|protected|private)\s*:(?!:))", body):
        change = ACCESS.fullmatch(part)
        if change:
            access = change.group(1)
        elif access == "public":
            statements = [one.strip() for one in part.split(";")]
            count += sum(1 for one in statements
                         if re.match(r"[\w~\[:]", one) and not NO_MEMBER.match(one) and "override" not in one)
    return count


def check(root):
    """A list of lines, one for each class that does not say why."""
    errors = []
    for path in sorted(path for top in ("engine", "app") for path in (root / top).rglob("*.[hc]*")):
        source = path.read_text(encoding="utf-8", errors="replace")
        text = TEXT.sub('""', COMMENT.sub("", source))
        comments = " ".join(source.replace("//", " ").split())
        for match in CLASS.finditer(text):
            name, members = match.group(1), public_members(body_at(text, match.end()))
            if members > MOST_MEMBERS and not re.search(
                    rf"\b({name}|It) has many (public )?(members|functions) because", comments):
                errors.append(f"{path.relative_to(root)}: {name} has {members} public members, and no sentence says "
                              f'why ("{name} has many public members because ...")')
    return errors


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    errors = check(root)
    for line in errors:
        print(line)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
