"""The program's stdout and stderr, which are recorded as they are written."""

import io
import sys

import _headway


class RecordedFile(io.FileIO):
    """A standard stream's file; _headway adds write()."""


_headway.record_writes(RecordedFile)


def install():
    """Each line is written when it is complete."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            continue
        stream.flush()
        file = RecordedFile(stream.fileno(), "wb", closefd=False)
        file.name = stream.name
        recorded = io.TextIOWrapper(
            io.BufferedWriter(file), encoding="utf-8", errors="replace", newline="\n", line_buffering=True
        )
        recorded.mode = "w"
        setattr(sys, name, recorded)
        setattr(sys, "__%s__" % name, recorded)
