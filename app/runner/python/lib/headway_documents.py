"""Extracts the code of a document: Markdown, a notebook, or a notebook printed as text."""

import _ast

from headway_source import CELL_END, Lazy, Refused, parse

json = Lazy("json")
re = Lazy("re")


class Pattern:
    """A regular expression that is compiled on first use."""

    def __init__(self, text):
        self.text = text
        self.compiled = None

    def pattern(self):
        if self.compiled is None:
            self.compiled = re.compile(self.text)
        return self.compiled

    def match(self, text):
        return self.pattern().match(text)

    def all_in(self, text):
        return self.pattern().findall(text)


SIGNS = Pattern(r"""'''|\"{3}|['"#()\[\]{}]|\\.""")
FENCE = Pattern(r"^(\s*)(```+|~~~+)\s*(.*)$")
LANGUAGE = Pattern(r"^\{?\.?([^\s.,:;{}=#|!]*)")  # of "python", "{.python .input}" or "{python, echo=FALSE}"
TAB_MARK = Pattern(r"^#\s*@tab\s+(.+)$")
FRAMEWORK_MARK = Pattern(r"(?i)^#\s*For\s+(MXNet|PyTorch|TensorFlow)\b")
CELL_MARK = Pattern(r"^In ?\[\s*\d*\s*\]:\s*(.*)$")
TABS = ("mxnet", "pytorch", "tensorflow")


def is_python(text):
    try:
        parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def fenced_cells(lines):
    """(first line, lines, info string) of each fenced block without its fences; lines count from 0. As in Markdown, the
    lines of a block lose the indentation of its opening fence."""
    cells = []
    opening = None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if opening is None:
            if fence:
                opening = (number, *fence.groups())
        elif fence and fence.group(2).startswith(opening[2]) and not fence.group(3):
            first, indent = opening[0] + 1, len(opening[1])
            code = [l[min(indent, len(l) - len(l.lstrip())) :] for l in lines[first:number]]
            cells.append((first, code, opening[3]))
            opening = None
    if opening is not None:
        raise Refused("a block of code is opened here and never closed", opening[0] + 1)
    return cells


def is_python_fence(info):
    return LANGUAGE.match(info.lower()).group(1) in ("python", "python3", "py", "py3")


def tab_of_cell(code):
    """The tabs that d2l's '#@tab a, b' names; None if there is none."""
    for line in code:
        if line.strip():
            mark = TAB_MARK.match(line.strip())
            return [t.strip() for t in mark.group(1).split(",")] if mark else None
    return None


def keep_for_tab(kept, code, first, tab):
    """Copies the lines of a block that belong to a tab. A comment like '# For PyTorch users' begins a tab's lines."""
    framework = None
    for offset, line in enumerate(code):
        mark = FRAMEWORK_MARK.match(line.strip())
        if mark:
            framework = mark.group(1).lower()
        if framework is None or framework == tab:
            kept[first + offset] = line


def document_tabs(cells):
    tabs = []
    marked = False
    for _, code, _ in cells:
        own = tab_of_cell(code)
        marked = marked or own is not None
        for tab in own or ():
            if tab in TABS and tab not in tabs:
                tabs.append(tab)
        for line in code:
            mark = FRAMEWORK_MARK.match(line.strip())
            if mark and mark.group(1).lower() not in tabs:
                tabs.append(mark.group(1).lower())
    # d2l: if other blocks are marked, blocks without a mark belong to MXNet.
    if marked and "mxnet" not in tabs and any(tab_of_cell(code) is None for _, code, _ in cells):
        tabs.insert(0, "mxnet")
    return tabs, marked


def from_markdown(lines, tab):
    cells = [c for c in fenced_cells(lines) if is_python_fence(c[2])]
    if not cells:
        return None
    tabs, marked = document_tabs(cells)
    if tab and tabs and tab not in tabs:
        raise Refused("this document has no tab %s, only %s" % (tab, ", ".join(tabs)))
    tab = tab or (("mxnet" if "mxnet" in tabs else tabs[0]) if tabs else "")
    kept = [""] * len(lines)
    ends = []
    for first, code, _ in cells:
        own = tab_of_cell(code)
        if marked and tab not in (own or ["mxnet"]) and "all" not in (own or []):
            continue
        keep_for_tab(kept, code, first, tab)
        ends.append(first + len(code))
    return kept, ends


def ends_with_a_name(text):
    body = parse(text).body
    return bool(body) and isinstance(body[-1], _ast.Expr) and isinstance(body[-1].value, (_ast.Name, _ast.Attribute))


def from_printed_notebook(lines):
    """A notebook printed as text: 'In [1]:', the cell, its output, prose. A cell extends, paragraph by paragraph, as
    long as it is Python. A paragraph that ends with a bare name is its last one, because its value is printed next."""
    starts = [n for n, line in enumerate(lines) if CELL_MARK.match(line.strip())]
    if not starts:
        return None
    kept = [""] * len(lines)
    ends = []
    for index, start in enumerate(starts):
        stop = starts[index + 1] if index + 1 < len(starts) else len(lines)
        at = start + 1
        cell = []
        end = at
        while at < stop:
            paragraph_end = at
            while paragraph_end < stop and lines[paragraph_end].strip():
                paragraph_end += 1
            paragraph = lines[at:paragraph_end]
            candidate = cell + paragraph
            if paragraph and not is_python("\n".join(candidate)):
                if not cell:
                    raise Refused(syntax_sentence("\n" * at + "\n".join(paragraph)), at + 1)
                break
            cell = candidate + [""]
            end = paragraph_end
            if paragraph and ends_with_a_name("\n".join(candidate)):
                break
            at = paragraph_end + 1
        kept[start + 1 : end] = lines[start + 1 : end]
        ends.append(end)
    return kept, ends


def syntax_sentence(text):
    try:
        parse(text)
    except SyntaxError as error:
        return "%s: %s" % (error.msg, (error.text or "").strip()[:80])
    return "no Python"


CODE_LIKE = Pattern(r"^\s*((from\s+\S+\s+)?import\s|with\s.*:\s*$|for\s.*:\s*$|while\s.*:\s*$|def\s.*:\s*$|class\s.*:\s*$)")


def refuse_plain_text(lines):
    """Refuses text without cells, with the first line that looks like code but is not valid Python."""
    for number, line in enumerate(lines):
        if not CODE_LIKE.match(line):
            continue
        if line.rstrip().endswith(":"):
            body = next((l for l in lines[number + 1 :] if l.strip()), "")
            if len(body) - len(body.lstrip()) <= len(line) - len(line.lstrip()):
                raise Refused("expected an indented block after: %s" % line.strip()[:80], number + 2)
        elif not is_python(line.strip()):
            raise Refused(syntax_sentence(line.strip()), number + 1)
    raise Refused("there is no code cell in this document", 1)


# Jupyter's cell magics: those whose cell is Python that runs in the notebook, and those whose cell is something else.
PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")
OTHER_MAGICS = """%%! %%bash %%cmd %%file %%html %%HTML %%javascript %%js %%latex %%markdown %%perl %%pypy %%python
    %%python2 %%python3 %%ruby %%script %%sh %%svg %%SVG %%sx %%system %%writefile""".split()


def without_magics(lines):
    """The lines of a code cell, with empty ones in place of Jupyter's magics and of shell commands. An unknown cell
    magic stays, which is a syntax error."""
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    magic = lines[first].split()[0] if lines[first].startswith("%%") else ""
    if magic and magic not in PYTHON_MAGICS:
        return ["" if n != first or magic in OTHER_MAGICS else line for n, line in enumerate(lines)]
    kept, continued, quotes, brackets, joined = [], False, "", 0, False
    for line in lines:
        code = line.lstrip()
        if continued:
            line, continued = "", line.endswith("\\")
        elif code.startswith(("%", "!")) and not (quotes or brackets > 0 or joined):
            continued = line.endswith("\\")
            indent = line[: -len(code)]
            timed = code[len("%time ") :] if code.startswith("%time ") else ""
            line = indent + (timed.lstrip() or "pass") if timed or indent else ""  # a block needs a statement
        quotes, brackets = open_behind(line, quotes, brackets)
        joined = line.endswith("\\")
        kept.append(line)
    return kept


def open_behind(line, quotes, brackets):
    """The quotes of the string and the number of brackets that are open behind a line, from those before it."""
    for sign in SIGNS.all_in(line):
        if quotes:
            quotes = "" if sign.startswith(quotes) else quotes
        elif sign == "#":
            break
        elif sign[0] in "'\"":
            quotes = sign
        elif sign[0] != "\\":
            brackets += 1 if sign in "([{" else -1
    return quotes if len(quotes) == 3 or line.endswith("\\") else "", max(brackets, 0)


def from_notebook(text):
    if not text.strip():
        raise Refused("this notebook is empty", 1)
    try:
        notebook = json.loads(text)
        if "worksheets" in notebook:
            raise Refused("this notebook is of format 3: open it in Jupyter, which saves it in format 4", 1)
        about = notebook.get("metadata", {})
        language = about.get("language_info", {}).get("name") or about.get("kernelspec", {}).get("language") or "python"
        if "python" not in language.lower():
            raise Refused("this notebook is in %s, and only Python runs here" % language, 1)
        cells = [c for c in notebook["cells"] if c.get("cell_type") == "code"]
        sources = [c.get("source", "") for c in cells]
        sources = [s if isinstance(s, str) else "".join(s) for s in sources]
    except ValueError as error:
        raise Refused("this is not a notebook: %s" % error, getattr(error, "lineno", 1))
    except (KeyError, TypeError, AttributeError):
        raise Refused("this is not a notebook: it has no list of cells with text", 1)
    kept, ends = [], []
    for source in sources:
        kept.append(CELL_END)
        kept += without_magics(source.split("\n"))
        ends.append(len(kept))
    if not cells:
        raise Refused("this notebook has no code cell", 1)
    return kept, ends


def read(raw, path, tab):
    """(source, line numbers at which a cell ends) of the document with these bytes."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused("the document is not UTF-8", raw[: error.start].count(b"\n") + 1)
    if path.endswith(".ipynb"):
        kept, ends = from_notebook(text)
        return "\n".join(kept), ends
    lines = text.replace("\r\n", "\n").split("\n")
    found = from_markdown(lines, tab) or from_printed_notebook(lines)
    if found is None:
        refuse_plain_text(lines)
    kept, ends = found
    if not any(line.strip() for line in kept):
        raise Refused("the tab %s has no code" % tab, 1)
    return "\n".join(kept), ends
