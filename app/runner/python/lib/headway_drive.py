"""Runs a Python program: reads the file, extracts the code, runs it, and returns how it ended.

Line numbers are preserved: lines that are not code become empty, so a line of a document has the same number
in the timeline and in messages.
"""

import _ast
import atexit
import gc
import sys

import _headway
import headway_output


class Lazy:
    """A module that is imported on first use, so that short programs start quickly."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        return getattr(__import__(self._name), attribute)


ast = Lazy("ast")
json = Lazy("json")
linecache = Lazy("linecache")
packages = Lazy("headway_packages")
re = Lazy("re")
traceback = Lazy("traceback")
Code = type((lambda: 0).__code__)


class Pattern:
    """A regular expression that is compiled on first use."""

    def __init__(self, text):
        self.text = text
        self.compiled = None

    def match(self, text):
        if self.compiled is None:
            self.compiled = re.compile(self.text)
        return self.compiled.match(text)


FENCE = Pattern(r"^(\s*)(```+|~~~+)\s*(.*)$")
TAB_MARK = Pattern(r"^#\s*@tab\s+(.+)$")
FRAMEWORK_MARK = Pattern(r"(?i)^#\s*For\s+(MXNet|PyTorch|TensorFlow)\b")
CELL_MARK = Pattern(r"^In ?\[\s*\d*\s*\]:\s*(.*)$")
CELL_END = "# %%"
TABS = ("mxnet", "pytorch", "tensorflow")


class Refused(Exception):
    """The file has no program that can be run: the reason and the line."""

    def __init__(self, message, line=0):
        super().__init__(message)
        self.line = line


class Prepared:
    """A program ready to run: its compiled units in order. Units in mode "single" echo their value."""

    def __init__(self, file_name, source, units, work):
        self.file_name = file_name
        self.source = source
        self.units = units
        self.work = work
        self.space = {}


def parse(source, name="<unknown>"):
    """The syntax tree, as from ast.parse()."""
    return compile(source, name, "exec", _ast.PyCF_ONLY_AST)


def is_python(text):
    try:
        parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


# --- documents ---


def fenced_cells(lines):
    """(first line, end line, info string) of each fenced block without its fences; lines count from 0."""
    cells = []
    opening = None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if opening is None:
            if fence:
                opening = (number, fence.group(2), fence.group(3))
        elif fence and fence.group(2).startswith(opening[1]) and not fence.group(3):
            cells.append((opening[0] + 1, number, opening[2]))
            opening = None
    if opening is not None:
        raise Refused("a block of code is opened here and never closed", opening[0] + 1)
    return cells


def is_python_fence(info):
    info = info.strip().lower()
    return info.startswith(("python", "{.python", "py", "{python"))


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


def document_tabs(cells, lines):
    tabs = []
    marked = False
    for first, last, info in cells:
        own = tab_of_cell(lines[first:last])
        marked = marked or own is not None
        for tab in own or ():
            if tab in TABS and tab not in tabs:
                tabs.append(tab)
        for line in lines[first:last]:
            mark = FRAMEWORK_MARK.match(line.strip())
            if mark and mark.group(1).lower() not in tabs:
                tabs.append(mark.group(1).lower())
    # d2l: if other blocks are marked, blocks without a mark belong to MXNet.
    if marked and "mxnet" not in tabs and any(tab_of_cell(lines[a:b]) is None for a, b, _ in cells):
        tabs.insert(0, "mxnet")
    return tabs, marked


def from_markdown(lines, tab):
    cells = [c for c in fenced_cells(lines) if is_python_fence(c[2])]
    if not cells:
        return None
    tabs, marked = document_tabs(cells, lines)
    if tab and tabs and tab not in tabs:
        raise Refused("this document has no tab %s, only %s" % (tab, ", ".join(tabs)))
    tab = tab or (("mxnet" if "mxnet" in tabs else tabs[0]) if tabs else "")
    kept = [""] * len(lines)
    ends = []
    for first, last, _ in cells:
        code = lines[first:last]
        own = tab_of_cell(code)
        if marked and tab not in (own or ["mxnet"]) and "all" not in (own or []):
            continue
        keep_for_tab(kept, code, first, tab)
        ends.append(last)
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


def from_notebook(text):
    try:
        notebook = json.loads(text)
        cells = [c for c in notebook["cells"] if c.get("cell_type") == "code"]
        sources = [c.get("source", "") for c in cells]
        sources = [s if isinstance(s, str) else "".join(s) for s in sources]
    except ValueError as error:
        raise Refused("this is no notebook: %s" % error, getattr(error, "lineno", 1))
    except (KeyError, TypeError, AttributeError):
        raise Refused("this is no notebook: it has no list of cells with text", 1)
    kept, ends = [], []
    for source in sources:
        kept += ["# %%"] + ["" if l.lstrip().startswith(("%", "!")) else l for l in source.split("\n")]
        ends.append(len(kept))
    if not cells:
        raise Refused("this notebook has no code cell", 1)
    return kept, ends


def read_source(path, tab):
    """(source, line numbers at which a cell ends)."""
    with open(path, "rb") as file:
        raw = file.read()
    if path.endswith(".py"):
        # As in Python: UTF-8 unless a coding comment in the first two lines says otherwise.
        try:
            encoding = "utf-8-sig"
            if b"coding" in b"\n".join(raw.split(b"\n", 2)[:2]):
                import io
                import tokenize

                encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
            source = raw.decode(encoding)
        except (SyntaxError, UnicodeDecodeError, LookupError) as error:
            line = raw[: getattr(error, "start", 0)].count(b"\n") + 1
            raise Refused("the file cannot be decoded: %s" % error, line)
        source = source.replace("\r\n", "\n").replace("\r", "\n")
        ends = [n for n, line in enumerate(source.split("\n")) if line.startswith(CELL_END)]
        return source, ends
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


# --- programs ---


def literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def walk(tree):
    """All nodes of the tree."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            for part in value if isinstance(value, list) else (value,):
                if isinstance(part, _ast.AST):
                    todo.append(part)


def work_of_lines(tree, lines):
    """By line number: 1 if the line uses NumPy, 2 if it imports, else 0. This names the time that the line spends on
    the frontend other than issuing and waiting."""
    kinds = bytearray(lines + 2)
    numpy, others = set(), set()
    for node in walk(tree):
        if isinstance(node, (_ast.Import, _ast.ImportFrom)):
            kinds[node.lineno] = 2
            for alias in node.names:
                module = node.module or "" if isinstance(node, _ast.ImportFrom) else alias.name
                own = alias.asname or alias.name.split(".")[0]
                (numpy if module.split(".")[0] == "numpy" else others).add(own)
    numpy -= others
    for node in walk(tree):
        if isinstance(node, _ast.Name) and node.id in numpy:
            kinds[node.lineno] = 1
    return bytes(kinds)


def set_values(tree, values):
    """--set NAME=VALUE replaces the value of the first top-level assignment of a literal to that name."""
    known = {}
    for node in tree.body:
        if isinstance(node, _ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], _ast.Name):
            try:
                ast.literal_eval(node.value)
            except ValueError:
                continue
            known.setdefault(node.targets[0].id, node)
    for name, text in values.items():
        if name not in known:
            have = ", ".join(sorted(known)) or "none"
            raise Refused("the program sets no value called %s at its top level (it has: %s)" % (name, have))
        node = known[name]
        node.value = ast.copy_location(ast.Constant(literal(text)), node.value)


# Whether the program's text places tensors on devices. If so, tensors without a device follow the framework's rule.
names_devices = False


def names_device(node):
    """True for torch.ones(2, device='cuda'), torch.device('cpu'), x.cpu(), x.cuda(), x.to(device), device = 'cuda'; not
    for x.to(torch.float32) or any other 'cpu' in the program."""
    if isinstance(node, (_ast.Assign, _ast.AnnAssign)):
        targets = node.targets if isinstance(node, _ast.Assign) else [node.target]
        named = any(isinstance(target, _ast.Name) and target.id == "device" for target in targets)
        return named and node.value is not None and any(is_device_text(part) for part in walk(node.value))
    if not isinstance(node, _ast.Call):
        return False
    for word in node.keywords:
        if word.arg == "device" and not (isinstance(word.value, _ast.Constant) and word.value.value is None):
            return True
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if called in ("device", "set_default_device"):
        return bool(node.args)
    if not isinstance(node.func, _ast.Attribute):
        return False
    if called == "to" and node.args:
        first = node.args[0]
        return not getattr(first, "attr", getattr(first, "id", "")).startswith(("float", "dtype"))
    return called in ("cpu", "cuda")


def is_device_text(node):
    value = getattr(node, "value", None) if isinstance(node, _ast.Constant) else None
    return isinstance(value, str) and value.partition(":")[0] in ("cpu", "cuda")


def prepare(path, name, tab, values, graded):
    """A Prepared program, or (message, line, kind) if the file has none, or may not be graded."""
    try:
        source, ends = read_source(path, tab)
        # All code of the program shares one file name object, which identifies its frames.
        tree = parse(source, name)
        set_values(tree, values)
        if graded:
            import headway_graded

            refusal = headway_graded.refusal(tree)
            if refusal:
                raise Refused(*refusal)
        global names_devices
        names_devices = any(names_device(node) for node in walk(tree))
        echo_any = not path.endswith(".py") or bool(ends)
        units = []
        marks = ends + [1 << 30]
        for index, node in enumerate(tree.body):
            last = index + 1 == len(tree.body)
            following = tree.body[index + 1].lineno if not last else 1 << 30
            cell_ends = last or any(node.end_lineno <= mark < following for mark in marks)
            if echo_any and isinstance(node, _ast.Expr) and cell_ends:
                units.append(compile(_ast.Interactive([node]), name, "single"))
            else:
                units.append(compile(_ast.Module([node], []), name, "exec"))
        file_name = units[0].co_filename if units else name
        units = [with_file_name(unit, file_name) for unit in units]
        return Prepared(file_name, source, units, work_of_lines(tree, source.count("\n") + 1))
    except Refused as error:
        return (place(str(error), name, error.line), error.line, "unreadable")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0) or 0
        text = (getattr(error, "text", None) or "").strip()[:80]
        message = "%s%s" % (getattr(error, "msg", error), ": " + text if text else "")
        return (place(message, name, line), line, "failed")
    except (RecursionError, MemoryError):
        return (place("the program is nested too deeply", name, 0), 0, "failed")
    except Exception as error:
        return (place("%s: %s" % (type(error).__name__, error), name, 0), 0, "unreadable")


def place(message, name, line):
    return "%s, at %s:%d" % (message, name, line) if line else "%s, in %s" % (message, name)


def with_file_name(code, file_name):
    """The same code, including nested functions, with this very object as file name."""
    constants = tuple(with_file_name(c, file_name) if isinstance(c, Code) else c for c in code.co_consts)
    return code.replace(co_filename=file_name, co_consts=constants)


class LineCacheFinder:
    """Makes linecache return the source as it was run, so that tracebacks show it even if the file has changed."""

    def __init__(self, prepared):
        self.prepared = prepared

    def find_spec(self, name, path=None, target=None):
        if name != "linecache":
            return None
        sys.meta_path.remove(self)
        import importlib.machinery
        import linecache

        source = self.prepared.source
        linecache.cache[self.prepared.file_name] = (len(source), None, source.splitlines(True), self.prepared.file_name)
        return importlib.machinery.ModuleSpec(name, AlreadyThere(linecache))


class AlreadyThere:
    """A loader for a module that is already loaded."""

    def __init__(self, module):
        self.module = module

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        pass


def run(prepared):
    """None if the program ran to its end, else (message, line, kind). leave() and clear() come next."""
    name = prepared.file_name
    module = type(sys)("__main__")
    module.__file__ = name
    sys.modules["__main__"] = module
    sys.argv = [name]
    space = prepared.space = module.__dict__
    sys.meta_path.insert(0, LineCacheFinder(prepared))
    headway_output.install()
    sys.displayhook = display
    import headway_confinement

    headway_confinement.install()
    if _headway.virtual_time():
        import headway_host

        headway_host.install()
    outcome = None
    try:
        for unit in prepared.units:
            exec(unit, space)
        _headway.mark("end")
    except SystemExit as error:
        if error.code not in (None, 0):
            outcome = ("the program ended itself with status %s" % (error.code,), 0, "failed")
    except (_headway.Stop, KeyboardInterrupt):
        outcome = ("stopped", 0, "stopped")
    except BaseException as error:
        # The program's own trace functions must not run in here.
        try:
            sys.setprofile(None)
        except BaseException:
            pass
        sys.settrace(None)
        outcome = report(error, name)
    try:
        sys.setprofile(None)
    except BaseException:
        pass
    sys.settrace(None)
    if not has_exit_work():
        flush_output()
    return outcome


def flush_output():
    for name in ("stdout", "stderr"):
        stream = getattr(sys, "__%s__" % name)
        try:
            setattr(sys, name, stream)
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass


def threads_left():
    """The threads that Python waits for at its end."""
    threading = sys.modules.get("threading")
    if threading is None:
        return []
    here = (threading.main_thread(), threading.current_thread())
    return [t for t in threading.enumerate() if not t.daemon and t not in here]


def has_exit_work():
    return atexit._ncallbacks() > 0 or bool(threads_left())


def leave(stopped):
    """What Python does at the end of a program: waits for threads, then calls the exit handlers. A program that was
    stopped is not waited for."""
    try:
        if not stopped and "threading" in sys.modules:
            # Pools end their threads here.
            for call in reversed(getattr(sys.modules["threading"], "_threading_atexits", ())):
                call()
            while threads_left():
                for thread in threads_left():
                    thread.join(0.05)  # a stop gets through in between
    except BaseException:
        pass
    try:
        atexit._run_exitfuncs()
    except BaseException:
        pass
    flush_output()


def clear(prepared):
    """Drops the program's variables."""
    prepared.space.clear()
    sys.last_traceback = sys.last_value = sys.last_type = None
    gc.collect()


def display(value):
    if value is None:
        return
    text = getattr(type(value), "_display", repr)(value)
    print(text)


def report(error, name):
    """Reports an exception of the program: prints the traceback, without our own frames, on stderr and returns
    (message, line, kind)."""
    try:
        return full_report(error, name)
    except BaseException:  # the program has left no memory, or has taken away what an import needs
        return short_report(error, name)


def short_report(error, name):
    """The same, using nothing that has to be imported."""
    line, step = 0, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == name:
            line = step.tb_lineno
        step = step.tb_next
    words = type(error).__name__
    try:
        words = "%s: %s" % (words, error) if str(error) else words
    except BaseException:
        pass
    words = words.split("\n")[0][:300]
    try:
        sys.__stderr__.write('Traceback (most recent call last):\n  File "%s", line %d\n%s\n' % (name, line, words))
    except BaseException:
        pass
    return (place(words, name, line), line, "failed")


def full_report(error, name):
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == name]
    line = own[-1].lineno if own else 0
    try:
        shown = "".join(
            ["Traceback (most recent call last):\n"]
            + traceback.format_list(own)
            + traceback.format_exception_only(type(error), error)
        )
        stream = sys.__stderr__
        stream.write(shown)
        stream.flush()
    except Exception:  # the program may have closed stderr, or its exception cannot be printed
        pass
    if isinstance(error, _headway.Error):
        message = str(error)
        if ", at " not in message:
            message = place(message, name, line)
        return (message, line, "engine")
    missing = packages.missing_module(error)
    if missing:
        what, advice = missing
        return ("%s; %s" % (place(what, name, line), advice), line, "failed")
    try:
        words = "%s: %s" % (type(error).__name__, error) if str(error) else type(error).__name__
    except Exception:
        words = type(error).__name__
    words = words.split("\n")[0][:300]
    error.__traceback__ = None
    return (place(words, name, line), line, "failed")
