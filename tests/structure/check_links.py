#!/usr/bin/env python3
"""Checks what a program needs when it starts, and what is linked into it.

    check_links.py PROGRAM [--no-library PREFIX]... [--no-symbol TEXT]...

Exit status: 0 when it needs none of the libraries and holds none of the symbols, 1 with a line for each that it does,
77 when the program has not been built.
"""

import argparse
import subprocess
import sys
from pathlib import Path


def libraries_of(program):
    """Names of all shared libraries that the loader would bring, indirect ones too."""
    listing = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return [line.split()[0].rsplit("/", 1)[-1] for line in listing.splitlines() if line.strip()]


def symbols_of(program):
    return subprocess.run(["nm", "-C", program], check=True, capture_output=True, text=True).stdout.splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--no-library", action="append", default=[])
    parser.add_argument("--no-symbol", action="append", default=[])
    options = parser.parse_args()
    if not Path(options.program).is_file():
        print(f"{options.program} has not been built")
        return 77

    bad = [f"needs {library}" for library in libraries_of(options.program)
           if any(library.startswith(prefix) for prefix in options.no_library)]
    symbols = symbols_of(options.program) if options.no_symbol else []
    for text in options.no_symbol:
        found = next((line for line in symbols if text in line), None)
        if found:
            bad.append(f"holds {found.split(maxsplit=2)[-1]}")
    for line in bad:
        print(f"{options.program} {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
