"""Whether the runner has its PyTorch module, and running programs with it."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))
from running import RUNNER, run  # noqa: E402,F401


def skip_without_it():
    file = os.path.join(os.path.dirname(os.path.realpath(RUNNER)), "libheadway_torch.so")
    if not os.path.exists(file):
        print("skipped: the PyTorch module is not built (scripts/run --with-pytorch installs what it needs)")
        sys.exit(77)
