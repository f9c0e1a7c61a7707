"""What to install when a program imports a module that is not installed."""

import sys

# The beginnings of messages about what only PyTorch has.
LACKS = ("Headway's PyTorch dialect", "Headway's tensors", "Headway's integers")

# Modules that learners' programs import, with their names and Debian's packages.
PACKAGES = {
    "IPython": ("IPython", "python3-ipython"),
    "matplotlib": ("Matplotlib", "python3-matplotlib"),
    "numpy": ("NumPy", "python3-numpy"),
    "pandas": ("pandas", "python3-pandas"),
    "PIL": ("Pillow", "python3-pil"),
    "psutil": ("psutil", "python3-psutil"),
    "scipy": ("SciPy", "python3-scipy"),
    "sklearn": ("scikit-learn", "python3-sklearn"),
    "tqdm": ("tqdm", "python3-tqdm"),
    "yaml": ("PyYAML", "python3-yaml"),
}


# The folder of Headway's own modules.
LIBRARY = __file__.rpartition("/")[0] + "/"


DIALECTS = {"mxnet": "MXNet", "tensorflow": "TensorFlow", "torch": "PyTorch"}


def lacking_in_dialect(error):
    """"Headway's MXNet dialect has no mxnet.init" if that was imported; None for any other error."""
    import re

    package = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else ""
    if package not in DIALECTS or not _is_ours(package):
        return None
    name = re.match(r"cannot import name '(\w+)' from", str(error))
    missing = "%s.%s" % (error.name, name[1]) if name else error.name
    return "Headway's %s dialect has no %s" % (DIALECTS[package], missing)


def _is_ours(module):
    return (getattr(sys.modules.get(module), "__file__", None) or "").startswith(LIBRARY)


def missing_in_dialect(error):
    """What to do about something that the torch dialect lacks; None for any other error."""
    if not _is_ours("torch"):
        return None
    if isinstance(error, ImportError):
        lacks = (error.name or "").partition(".")[0] == "torch"
    else:
        lacks = isinstance(error, (AttributeError, NotImplementedError)) and str(error).startswith(LACKS)
    return "this needs PyTorch: `scripts/run --with-pytorch` installs it" if lacks else None


def missing_module(error):
    """(what is missing, what to do) if the error means that a module is not installed; None for any other error."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return None
    module = error.name.partition(".")[0]
    if module != error.name and sys.modules.get(module) is not None:
        return None  # the package is installed but has no such submodule
    if module in PACKAGES:
        called, package = PACKAGES[module]
        return "%s is not installed" % called, "run `apt install %s`" % package
    return "the module %s is not installed" % module, "programs run with /usr/bin/python3 and its packages"
