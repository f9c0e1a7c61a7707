"""Device names in programs: a run has one CPU and up to eight GPUs, whose indices count from 0."""

import _headway


def none_such(name):
    """The error message for a device with an index that the run does not have, or that is not a number."""
    gpus = _headway.gpus()
    if gpus == 0:
        return 'there is no device "%s": this run has one CPU, with the index 0, and no GPU' % (name,)
    if gpus < 2:
        return 'there is no device "%s": a run has one GPU and one CPU, each with the index 0' % (name,)
    return 'there is no device "%s": this run has one CPU, and GPUs from 0 to %d' % (name, gpus - 1)


def index_in(text):
    """The index after the colon; None without a colon, -1 if it is not an index."""
    _, colon, index = text.partition(":")
    if not colon:
        return None
    return int(index) if index.isascii() and index.isdecimal() and len(index) < 6 else -1


def has(index, cpu):
    """Whether the run has a device of this index; None is the first one."""
    return index is None or 0 <= index < (1 if cpu else max(_headway.gpus(), 1))


def is_cpu(number):
    """Whether the device of this number is the CPU: the GPUs have the first numbers."""
    return number >= _headway.gpus()


class Namespace(type):
    """A class that represents a module of a framework. Missing attributes raise an error with their full name."""

    def __getattr__(cls, name):
        raise AttributeError("Headway's %s dialect has no %s.%s" % (cls._dialect, cls._full_name, name))
