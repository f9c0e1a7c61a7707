"""Calls a function with a module when the program, or a library of it, imports that module."""

import sys


def after_import(name, function):
    """`name`: a module without a dot. Called at once if it has been imported already."""
    if name in sys.modules:
        function(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, function))


class _Finder:
    def __init__(self, name, function):
        self.name, self.function = name, function

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec

        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self.function)
        return spec


class _Loader:
    """Loads a module as `loader` does, and then calls `function` with it."""

    def __init__(self, loader, function):
        self.loader, self.function = loader, function

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        self.function(module)
