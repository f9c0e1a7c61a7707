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
        self.name, self.function, self.searching = name, function, False

    def find_spec(self, name, path=None, target=None):
        if name != self.name or self.searching:
            return None
        from importlib.util import find_spec

        self.searching = True
        try:
            spec = find_spec(name)
        finally:
            self.searching = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self)
        return spec

    def loaded(self, module):
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        self.function(module)


class _Loader:
    """Loads a module as `loader` does, and then tells `finder`."""

    def __init__(self, loader, finder):
        self.loader, self.finder = loader, finder

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        self.finder.loaded(module)
