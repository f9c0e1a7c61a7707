"""Functions that several dialects have under the same name."""

from operator import methodcaller

# Functions of one array: methods of _headway.Tensor, under the names of NumPy, MXNet and PyTorch.
OF_ONE = ("exp", "log", "sqrt")


def of_one(prepare=None, without=()):
    """A dialect's functions of one array, by name; `prepare` is called on each array first."""

    def made(name):
        call = methodcaller(name)
        return call if prepare is None else lambda a: call(prepare(a))

    return {name: made(name) for name in OF_ONE if name not in without}


def product(a, b):
    return a @ b
