#!/usr/bin/env python3
"""Makes CUDA kernels compilable by the C++ compiler, for the GPU of tests/simt/gpu.h:

    translate.py kernels.cu kernels.cpp             with the same meaning
    translate.py --mutants kernels.cu mutants.cpp   with changes that HEADWAY_SIMT_MUTANT selects when it runs
    translate.py --list kernels.cu                  those changes, one a line: number, kind, line, text

What it replaces, and nothing else:
    #include <cuda_runtime.h>          by "tests/simt/cuda_on_cpu.h"
    kernel<<<grid, block>>>(a, b)      by simt::launch(simt::Grid(grid, block), "kernel", [](auto... x) {...}, a, b)
    __shared__ float tile[4][5];       by a reference to memory that each block gets anew
Lines keep their numbers. The changes of --mutants are in device code only: each barrier is left out, each `<` becomes
`<=`, each `>` becomes `>=`.
"""

import re
import sys

OPENING, CLOSING = "([{", ")]}"


def matching(text, at):
    """The position of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] in OPENING:
            depth += 1
        elif text[i] in CLOSING:
            depth -= 1
            if depth == 0:
                return i
    raise ValueError("unclosed bracket: " + text[at:at + 60])


def without_comments(text):
    """Comments become spaces, so that positions stay the same."""
    return re.sub(r"//[^\n]*", lambda found: " " * len(found.group()), text)


def device_code(text):
    """The (begin, end) of the bodies of __global__ and __device__ functions."""
    bodies = []
    for found in re.finditer(r"__(global|device)__", text):
        closed = matching(text, text.index("(", text.index("operator()", found.end()) + 10)
                          if re.match(r"[^{;]*operator\(\)", text[found.end():]) else text.index("(", found.end()))
        begin = text.index("{", closed)
        bodies.append((begin, matching(text, begin)))
    return bodies


def edges(text, at, width):
    """The (begin, end) of the operands of the comparison at `at`."""
    begin = at
    depth = 0
    while True:
        c = text[begin - 1]
        if c in CLOSING:
            depth += 1
        elif c in OPENING:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and (c in ";=?,:" or text[begin - 2:begin] in ("&&", "||")):
            break
        elif depth == 0 and text[:begin].endswith("return"):
            break
        begin -= 1
    end = at + width
    depth = 0
    while True:
        c = text[end]
        if c in OPENING:
            depth += 1
        elif c in CLOSING:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and (c in ";?,:" and text[end:end + 2] != "::" and text[end - 1:end + 1] != "::"
                             or text[end:end + 2] in ("&&", "||")):
            break
        end += 1
    return begin, end


def mutants(text):
    """All changes: (kind, position, end, replacement with {n}), in the order of the text."""
    code = without_comments(text)
    found = []
    for begin, end in device_code(code):
        for at in re.finditer(r"__syncthreads\(\);", code[begin:end]):
            found.append(("barrier", begin + at.start(), begin + at.end(),
                          "if (!::headway::simt::mutated({n})) { __syncthreads(); }"))
        for at in re.finditer(r" ([<>]) ", code[begin:end]):
            left, right = edges(code, begin + at.start(), 3)
            name = "less" if at.group(1) == "<" else "greater"
            a, b = code[left:begin + at.start()].strip(), code[begin + at.end():right].strip()
            space = " " if code[left] == " " else ""
            found.append(("bound", left, right, f"{space}::headway::simt::{name}<{{n}}>({a}, {b})"))
    found.sort(key=lambda change: change[1])
    return [(number + 1, *change) for number, change in enumerate(found)]


def with_mutants(text):
    for number, _, begin, end, replacement in reversed(mutants(text)):
        text = text[:begin] + replacement.replace("{n}", str(number)) + text[end:]
    return text


def with_launches(text):
    while (at := text.find("<<<")) >= 0:
        closed = text.index(">>>", at)
        opened = text.index("(", closed)
        end = matching(text, opened)
        # The kernel's name, with its template arguments.
        name = re.search(r"[A-Za-z_]\w*(<[^;{}]*>)?\s*$", text[:at])
        arguments = text[opened + 1:end].strip()
        kernel = name.group().strip()
        call = (f"::headway::simt::launch(::headway::simt::Grid({text[at + 3:closed]}), \"{kernel}\", "
                f"[](auto... simt_arguments) {{ {kernel}(simt_arguments...); }}{', ' if arguments else ''}{arguments})")
        lost = text[name.start():end].count("\n") - call.count("\n")
        text = text[:name.start()] + call + "\n" * lost + text[end + 1:]
    return text


def with_shared_memory(text):
    return re.sub(r"__shared__ ([^;\[\]]*?)(\w+)((?:\[[^;]*\])*);",
                  r"static const ::headway::simt::SharedVariable \2_place{}; "
                  r"auto& \2 = ::headway::simt::shared<\1\3>(\2_place);", text)


def translated(text, path, mutate):
    if mutate:
        text = with_mutants(text)
    text = with_shared_memory(with_launches(text))
    text = text.replace("#include <cuda_runtime.h>", "#include \"tests/simt/cuda_on_cpu.h\"")
    return f"#line 1 \"{path}\"\n{text}"


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    with open(arguments[0], encoding="utf-8") as file:
        text = file.read()
    if "--list" in sys.argv:
        for number, kind, begin, end, _ in mutants(text):
            print(number, kind, text.count("\n", 0, begin) + 1, " ".join(text[begin:end].split()), sep="\t")
        return
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write(translated(text, arguments[0], "--mutants" in sys.argv))


if __name__ == "__main__":
    main()
