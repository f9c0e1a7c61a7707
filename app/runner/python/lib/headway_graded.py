"""What a graded program may contain (docs/exercises.md), checked before it runs. An audit hook checks again while it
runs (graded.cpp), and its process is confined.

Exercises need tensors, numbers and Python's plain language. What reaches past them into the interpreter is refused
before the program runs, with one sentence.
"""

import _ast
import ast

# Modules that a program may import: none of them turns text of the program into code or names.
MODULES = frozenset("""
    abc bisect cmath collections copy d2l dataclasses decimal enum fractions headway heapq itertools json math mxnet
    numbers numpy random re statistics tensorflow textwrap time torch warnings __future__
""".split())

# Functions that turn text into code or names, and ways to files and to the debugger.
NAMES = frozenset("""
    breakpoint compile delattr dir eval exec exit getattr globals help input locals memoryview open quit setattr vars
""".split())

# Modules that can be reached as attributes of other modules, as in contextlib.sys.
CARRIED = frozenset("""
    builtins codecs ctypes ctypeslib f2py gc importlib inspect io linecache marshal mmap modules os pickle
    platform shutil signal socket subprocess sys tempfile threading traceback types weakref
""".split())

# Ways from a generator or an error to the frames and code of the interpreter.
FRAMES = frozenset("""
    ag_code ag_frame cr_code cr_frame f_back f_builtins f_code f_globals f_locals f_trace gi_code gi_frame gi_yieldfrom
    tb_frame tb_next
""".split())

# Methods that a class of a program may define.
METHODS = frozenset("""
    __add__ __bool__ __call__ __contains__ __delitem__ __doc__ __enter__ __eq__ __exit__ __float__ __getitem__ __gt__
    __hash__ __init__ __int__ __iter__ __len__ __lt__ __main__ __matmul__ __mul__ __name__ __neg__ __next__ __post_init__
    __radd__ __repr__ __rmul__ __setitem__ __str__ __sub__ __truediv__
""".split())


def is_special(name):
    return name.startswith("__") and name.endswith("__")


def refused_module(name):
    top = name.split(".")[0]
    return None if top in MODULES else "an exercise's program may not import %s" % top


def refused_attribute(name, owner):
    if is_special(name):
        return None if name in METHODS else "an exercise's program may not use %s" % name
    if name.startswith("_") and not (isinstance(owner, _ast.Name) and owner.id in ("self", "cls")):
        return "an exercise's program may not use %s, which is internal" % name
    if name in FRAMES:
        return "an exercise's program may not use %s" % name
    if name in CARRIED:
        return "an exercise's program may not use the module %s" % name
    return None


def refused_node(node):
    if isinstance(node, _ast.Import):
        return next(filter(None, (refused_module(alias.name) for alias in node.names)), None)
    if isinstance(node, _ast.ImportFrom):
        if node.level:
            return "an exercise's program may not import from its own folder"
        return refused_module(node.module or "") or next(
            filter(None, (refused_attribute(alias.name, None) for alias in node.names)), None)
    if isinstance(node, _ast.Name):
        if node.id in NAMES or (is_special(node.id) and node.id not in METHODS):
            return "an exercise's program may not use %s" % node.id
        return None
    if isinstance(node, _ast.Attribute):
        return refused_attribute(node.attr, node.value)
    if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef)) and is_special(node.name):
        return None if node.name in METHODS else "an exercise's program may not define %s" % node.name
    if isinstance(node, _ast.keyword) and node.arg and is_special(node.arg):
        return "an exercise's program may not use %s" % node.arg
    if isinstance(node, getattr(_ast, "MatchClass", ())):
        return next(filter(None, (refused_attribute(name, None) for name in node.kwd_attrs)), None)
    if isinstance(node, _ast.Constant) and isinstance(node.value, str):
        # Names of what an object is made of, and of memory that it offers to NumPy.
        if (is_special(node.value) and node.value not in METHODS) or "__array_" in node.value:
            return "an exercise's program may not use %s" % node.value[:40]
    return None


def is_number_of_numpy(value):
    kind = type(value)
    return kind.__module__ == "numpy" and any(base.__name__ == "generic" for base in kind.__mro__)


def plain(value):
    return value.item() if is_number_of_numpy(value) else value


def make_numbers_plain(space):
    """Replaces NumPy's numbers, also those in lists, by Python's: a result is compared by its value, not its type."""
    for name, value in list(space.items()):
        if type(value) in (list, tuple) and any(map(is_number_of_numpy, value)):
            space[name] = type(value)(map(plain, value))
        elif is_number_of_numpy(value):
            space[name] = plain(value)


def refusal(tree):
    """(sentence, line) about the first thing that is refused, or None."""
    found = []
    for node in ast.walk(tree):
        words = refused_node(node)
        if words:
            found.append((getattr(node, "lineno", 0), words))
    if not found:
        return None
    line, words = min(found)
    return words, line
