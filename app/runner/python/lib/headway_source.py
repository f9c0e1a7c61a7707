"""Reads the file of a program and compiles its code.

Line numbers are preserved: lines that are not code become empty, so a line of a document has the same number
in the timeline and in messages.
"""

import _ast


class Lazy:
    """A module that is imported on first use, so that short programs start quickly."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        return getattr(__import__(self._name), attribute)


ast = Lazy("ast")
documents = Lazy("headway_documents")
Code = type((lambda: 0).__code__)
CELL_END = "# %%"
_cells = []  # for a notebook: the line before each code cell


class Refused(Exception):
    """Why the file cannot be run as a program, and at which line."""

    def __init__(self, message, line=0):
        super().__init__(message)
        self.line = line


class Prepared:
    """A program ready to run: its compiled units in order. Units in mode "single" echo their value."""

    def __init__(self, file_name, source, units, work, names_devices, graded, pytorch):
        self.file_name = file_name
        self.source = source
        self.units = units
        self.work = work
        self.names_devices = names_devices
        self.graded = graded
        self.pytorch = pytorch
        self.space = {}
        self.status = 0  # the exit status of a process that the program has forked


def parse(source, name="<unknown>"):
    """The syntax tree, as from ast.parse()."""
    return compile(source, name, "exec", _ast.PyCF_ONLY_AST)


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
    return documents.read(raw, path, tab)


def literal(text):
    """The expression that is written there, if it is a literal; else the text itself."""
    try:
        node = ast.parse(text.lstrip(" \t"), mode="eval").body
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return ast.Constant(text)
    return node


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
    the frontend other than issuing and waiting. 4 is added for the line before which measuring begins."""
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
    kinds[line_after_imports(tree)] |= 4
    kinds[0] = 0
    return bytes(kinds)


def line_after_imports(tree):
    """The line of the first statement after the imports at a program's beginning, which are not measured; settings and
    definitions may stand between them. 0: the program does not begin with imports, or calls measure() itself."""
    if any(getattr(node, "attr", getattr(node, "id", "")) == "measure" for node in walk(tree)):
        return 0
    statements, after, index = list(tree.body), 0, 0
    while index < len(statements):
        node = statements[index]
        if isinstance(node, _ast.If) and "__name__" in {part.id for part in walk(node.test) if isinstance(part, _ast.Name)}:
            statements[index:] = node.body
            continue
        index += 1
        if isinstance(node, (_ast.Import, _ast.ImportFrom)):
            after = index
        elif not takes_no_time(node):
            break
    if not 0 < after < len(statements):
        return 0
    node = statements[after]
    return min([node.lineno] + [decorator.lineno for decorator in getattr(node, "decorator_list", [])])


def takes_no_time(node):
    """Whether the statement is a string, an assignment of literals, a definition, or changes os.environ, sys.path or
    the filter of warnings."""
    if isinstance(node, (_ast.FunctionDef, _ast.ClassDef)):
        return not node.decorator_list
    if not isinstance(node, (_ast.Expr, _ast.Assign, _ast.AnnAssign)):
        return False
    value = node.value
    if isinstance(node, _ast.Expr) and isinstance(value, _ast.Call):
        if _attributes(value.func)[:2] not in (["os", "environ"], ["sys", "path"], ["warnings", "filterwarnings"],
                                               ["warnings", "simplefilter"]):
            return False
        value = _ast.Tuple([*value.args, *(keyword.value for keyword in value.keywords)], _ast.Load())
    targets = getattr(node, "targets", [])
    return not any(isinstance(part, _ast.Call) for target in targets for part in walk(target)) and not any(
        isinstance(part, (_ast.Call, _ast.Name)) for part in walk(value or _ast.Load()))


def _attributes(node):
    """Of a.b.c: ["a", "b", "c"]."""
    names = []
    while isinstance(node, _ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return [node.id, *names] if isinstance(node, _ast.Name) else []


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
            have = "it sets " + ", ".join(sorted(known)) if known else "it sets no literal there"
            raise Refused('the program sets no value called %s at its top level, as in "%s = %s"; %s' %
                          (name, name, text, have))
        node = known[name]
        value = literal(text)
        for part in walk(value):
            ast.copy_location(part, node.value)
        node.value = value


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


def prepare(path, name, tab, values, graded, pytorch):
    """A Prepared program, or (message, line, kind) if the file has none, or may not be graded."""
    try:
        source, ends = read_source(path, tab)
        if path.endswith(".ipynb"):
            _cells[:] = [1] + [end + 1 for end in ends[:-1]]
        # All code of the program shares one file name object, which identifies its frames.
        tree = parse(source, name)
        set_values(tree, values)
        if graded:
            import headway_graded

            refusal = headway_graded.refusal(tree)
            if refusal:
                raise Refused(*refusal)
        echo_any = not path.endswith(".py") or bool(ends)
        groups = []  # (whether it is echoed, statements); those of one line are together, so that a step is a line
        marks, mark = ends + [1 << 30], 0  # both these and the statements are in the order of their lines
        for index, node in enumerate(tree.body):
            last = index + 1 == len(tree.body)
            following = tree.body[index + 1].lineno if not last else 1 << 30
            while marks[mark] < node.end_lineno:
                mark += 1
            cell_ends = last or marks[mark] < following
            echoed = echo_any and isinstance(node, _ast.Expr) and cell_ends
            if groups and not echoed and not groups[-1][0] and groups[-1][1][-1].end_lineno == node.lineno:
                groups[-1][1].append(node)
            else:
                groups.append((echoed, [node]))
        units = [compile(_ast.Interactive(nodes), name, "single") if echoed else
                 compile(_ast.Module(nodes, []), name, "exec") for echoed, nodes in groups]
        file_name = units[0].co_filename if units else name
        units = [with_file_name(unit, file_name) for unit in units]
        work = work_of_lines(tree, source.count("\n") + 1)
        named = any(names_device(node) for node in walk(tree))
        pytorch = pytorch or (not graded and real_torch_wanted())
        return Prepared(file_name, source, units, work, named, graded, pytorch)
    except Refused as error:
        return (place(str(error), name, error.line), error.line, "unreadable")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0) or 0
        text = (getattr(error, "text", None) or "").strip()[:80]
        message = "%s: %s%s" % (type(error).__name__, getattr(error, "msg", error), ", in “%s”" % text if text else "")
        return (place(message, name, line), line, "failed")
    except (RecursionError, MemoryError):
        return (place("the program is nested too deeply", name, 0), 0, "failed")
    except Exception as error:
        return (place("%s: %s" % (type(error).__name__, error), name, 0), 0, "unreadable")


def real_torch_wanted():
    """Whether also lessons, which are written for the dialect, get the real PyTorch."""
    import os

    return os.environ.get("HEADWAY_TORCH") == "real"


def place(message, name, line):
    message = message.rstrip(".")
    return "%s, at %s" % (message, position(name, line)) if line else "%s, in %s" % (message, name)


def position(name, line):
    """"program.py:3", or "work.ipynb, code cell 2, line 1"."""
    cell, line_of_cell = cell_of(line)
    return "%s, code cell %d, line %d" % (name, cell, line_of_cell) if cell else "%s:%d" % (name, line)


def cell_of(line):
    """(number of the code cell from 1, line in it) of a line of a notebook's code; (0, line): not a notebook."""
    before = [begin for begin in _cells if begin < line]
    return (len(before), line - before[-1]) if before else (0, line)


def with_file_name(code, file_name):
    """The same code, including nested functions, with this very object as file name."""
    constants = tuple(with_file_name(c, file_name) if isinstance(c, Code) else c for c in code.co_consts)
    return code.replace(co_filename=file_name, co_consts=constants)
