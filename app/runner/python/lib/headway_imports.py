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
        if spec is None:
            return None
        if spec.loader is None:  # an empty folder of that name, left over from a removed package
            raise ModuleNotFoundError("No module named %r" % name, name=name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            self.function(module)

        spec.loader.exec_module = exec_module
        return spec
