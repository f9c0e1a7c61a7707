"""What Python's library needs to go on working in a confined program (app/confinement/system_calls.h)."""

import os


def modes_are_denied():
    """Whether chmod is denied for every file: tried on an empty name, which otherwise fails because no file has it."""
    try:
        os.chmod("", 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def install():
    """Lets shutil's copy functions copy a file without its mode and times where these cannot be changed."""
    if not modes_are_denied():
        return
    import shutil

    def tolerant(copy):
        def copy_if_allowed(source, target, *, follow_symlinks=True):
            try:
                copy(source, target, follow_symlinks=follow_symlinks)
            except PermissionError:
                pass

        copy_if_allowed.__name__ = copy.__name__
        copy_if_allowed.__doc__ = copy.__doc__
        return copy_if_allowed

    shutil.copymode = tolerant(shutil.copymode)
    shutil.copystat = tolerant(shutil.copystat)
