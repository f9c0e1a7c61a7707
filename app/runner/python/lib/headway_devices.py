"""Device names in programs: a run has one CPU and one GPU, so every index is 0."""


def none_such(name):
    """The error message for a device with another index, or with an index that is not a number."""
    return 'there is no device "%s": a run has one GPU and one CPU, each with the index 0' % (name,)


def index_in(text):
    """The index after the colon; None without a colon, -1 if it is not an index."""
    _, colon, index = text.partition(":")
    if not colon:
        return None
    return int(index) if index.isascii() and index.isdecimal() and len(index) < 6 else -1


class Namespace(type):
    """A class that represents a module of a framework. Missing attributes raise an error with their full name."""

    def __getattr__(cls, name):
        raise AttributeError("Headway's %s dialect has no %s.%s" % (cls._dialect, cls._full_name, name))
