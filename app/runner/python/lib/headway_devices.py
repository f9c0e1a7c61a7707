"""The run's devices, as programs name them: one CPU and one GPU, so every index is 0."""


def none_such(name):
    """What is said of a device with another index, or with an index that is no number."""
    return 'there is no device "%s": a run has one GPU and one CPU, each with the index 0' % (name,)


def index_in(text):
    """The index behind the colon, None without a colon; -1 for what is no index."""
    _, colon, index = text.partition(":")
    if not colon:
        return None
    return int(index) if index.isascii() and index.isdecimal() and len(index) < 6 else -1


class Namespace(type):
    """A class that stands for a module of a framework: what it has not is refused by its full name."""

    def __getattr__(cls, name):
        raise AttributeError("Headway's %s dialect has no %s.%s" % (cls._dialect, cls._full_name, name))
