"""Runs a Python program and returns how it ended. The runner calls prepare, run, has_exit_work, leave and clear.
"""

import atexit
import gc
import sys

import _headway
import headway_output
from headway_imports import after_import
from headway_source import Lazy, cell_of, place, position, prepare

packages = Lazy("headway_packages")
traceback = Lazy("traceback")

# Whether the program's text places tensors on devices. If so, tensors without a device follow the framework's rule.
names_devices = False


def fill_line_cache(linecache, prepared):
    """Tracebacks then show the source as it was run, even if the file has changed."""
    source, name = prepared.source, prepared.file_name
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)


def run(prepared):
    """None if the program ran to its end, else (message, line, kind). leave() and clear() come next."""
    global names_devices
    names_devices = prepared.names_devices
    name = prepared.file_name
    module = type(sys)("__main__")
    module.__file__ = prepared.place  # its file in the program's folder, also if an edited copy runs
    sys.modules["__main__"] = module
    sys.argv = [prepared.place]
    space = prepared.space = module.__dict__
    after_import("linecache", lambda module: fill_line_cache(module, prepared))
    headway_output.install()
    sys.displayhook = display
    import headway_confinement

    headway_confinement.install()
    if _headway.virtual_time():
        import headway_host

        headway_host.install()
    if prepared.pytorch:
        import headway_torch

        headway_torch.install()
    outcome, prepared.status = None, 0
    try:
        for unit in prepared.units:
            exec(unit, space)
        _headway.program_event("end")
        if prepared.graded:
            import headway_graded

            headway_graded.make_numbers_plain(space)
    except SystemExit as error:
        _headway.program_event("raised")
        if error.code not in (None, 0):
            prepared.status = error.code & 0xFF if isinstance(error.code, int) else 1
            outcome = ("the program ended itself %s" % exit_words(error.code), 0, "failed")
    except _headway.Stop:
        outcome = ("stopped", 0, "stopped")
    except BaseException as error:
        # The program's own trace functions must not run in here.
        try:
            sys.setprofile(None)
        except BaseException:
            pass
        sys.settrace(None)
        if isinstance(error, KeyboardInterrupt) and _headway.stop_asked():
            outcome = ("stopped", 0, "stopped")
        else:
            _headway.program_event("raised")  # what follows is not the program's time
            outcome, prepared.status = report(error, name), 1
    try:
        sys.setprofile(None)
    except BaseException:
        pass
    sys.settrace(None)
    if prepared.pytorch:
        headway_torch.finish()
    if not has_exit_work():
        flush_output()
    return outcome


def exit_words(code):
    """How a program ended that called sys.exit(code). A code that is text is written to stderr, as in Python."""
    if isinstance(code, int):
        return "with status %d" % code
    try:
        words = str(code)
        sys.stderr.write(words + "\n")
    except Exception:
        return "with status 1"
    return "with status 1 and the words: %s" % first_line(words)


def first_line(words):
    """The first non-empty line, cut after a whole word if it is very long."""
    line, most = words.strip().split("\n")[0], 600
    return line if len(line) <= most else line[:most].rsplit(" ", 1)[0] + " …"


def flush_output():
    for name in ("stdout", "stderr"):
        stream = getattr(sys, "__%s__" % name)
        try:
            setattr(sys, name, stream)
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass


def threads_left():
    """The threads that Python waits for at its end."""
    threading = sys.modules.get("threading")
    if threading is None:
        return []
    here = (threading.main_thread(), threading.current_thread())
    return [t for t in threading.enumerate() if not t.daemon and t not in here]


def has_exit_work():
    return atexit._ncallbacks() > 0 or bool(threads_left())


def leave(stopped):
    """What Python does at the end of a program: waits for threads, then calls the exit handlers. A program that was
    stopped is not waited for."""
    try:
        if not stopped and "threading" in sys.modules:
            # Pools end their threads here.
            for call in reversed(getattr(sys.modules["threading"], "_threading_atexits", ())):
                call()
            while threads_left():
                for thread in threads_left():
                    thread.join(0.05)  # with a timeout, so that a stop can interrupt the wait
    except BaseException:
        pass
    before = sys.unraisablehook

    def hook(problem):
        if problem.exc_type is _headway.Stop:
            return
        trace = problem.exc_traceback
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        before(type(problem)((problem.exc_type, problem.exc_value, trace, problem.err_msg, problem.object)))

    try:
        sys.unraisablehook = hook  # leaves the frames of this file out of tracebacks of exit handlers
        atexit._run_exitfuncs()
    except BaseException:
        pass
    flush_output()


def clear(prepared):
    """Drops the program's variables, unless a thread that was left behind may still use them."""
    threads = sys.modules.get("threading")
    if threads is None or len(threads.enumerate()) <= 1:
        while prepared.space:  # the last one first: a destructor may use variables that were set before it
            prepared.space.popitem()
    sys.last_traceback = sys.last_value = sys.last_type = None
    gc.collect()


def display(value):
    if value is None:
        return
    text = getattr(type(value), "_display", repr)(value)
    print(text)


def report(error, name):
    """Reports an exception of the program: prints the traceback, without our own frames, on stderr and returns
    (message, line, kind)."""
    try:
        return full_report(error, name)
    except BaseException:  # no memory is left, or the program has removed what an import needs
        return short_report(error, name)


def short_report(error, name):
    """The same, using nothing that has to be imported."""
    line, step = 0, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == name:
            line = step.tb_lineno
        step = step.tb_next
    words = words_of(error)
    try:
        sys.__stderr__.write('Traceback (most recent call last):\n  File "%s", line %d\n%s\n' % (name, line, words))
    except BaseException:
        pass
    return (place(words, name, line), line, "failed")


def full_report(error, name):
    frames = traceback.extract_tb(error.__traceback__)
    shown = [frame for frame in frames if not frame.filename.startswith(packages.LIBRARY)]
    line = next((frame.lineno for frame in reversed(frames) if frame.filename == name), 0)
    engine = isinstance(error, _headway.Error) or (
        isinstance(error, RuntimeError) and _headway.is_engine_error(str(error))
    )
    if engine and str(error).partition("\n")[0] == "stopped":
        return ("stopped", line, "engine")  # as asked: no traceback
    try:
        text = "".join(
            ["Traceback (most recent call last):\n"]
            + traceback.format_list([in_cell(f) if f.filename == name else f for f in shown])
            + traceback.format_exception_only(type(error), error)
        )
        stream = sys.__stderr__
        stream.write(text)
        stream.flush()
    except Exception:  # the program may have closed stderr, or its exception cannot be printed
        pass
    if engine:
        message = str(error) if isinstance(error, _headway.Error) else first_line(str(error))
        if ", at " not in message:
            message = place(message, name, line)
        message = message.replace(", at %s:%d" % (name, line), ", at " + position(name, line))
        return (message, line, "engine")
    lacking, advice = packages.lacking_in_dialect(error), packages.missing_in_dialect(error)
    if lacking or advice:
        message = place(lacking or "%s: %s" % (type(error).__name__, error), name, line)
        return (message + "; " + advice if advice else message, line, "failed")
    missing = packages.missing_module(error)
    if missing:
        what, advice = missing
        return ("%s; %s" % (place(what, name, line), advice), line, "failed")
    error.__traceback__ = None
    return (place(words_of(error), name, line), line, "failed")


def in_cell(frame):
    """The frame with its line in its code cell, as in Jupyter, if the program is a notebook."""
    cell, line = cell_of(frame.lineno)
    if cell == 0:
        return frame
    name = "%s, code cell %d" % (frame.filename, cell)
    return traceback.FrameSummary(name, line, frame.name, lookup_line=False, line=frame.line)


def words_of(error):
    """The kind of an exception and the first line of what it says."""
    name = type.__getattribute__(type(error), "__name__")[:200]  # even if its metaclass defines __name__
    try:
        text = first_line(str(error))
        return "%s: %s" % (name, text) if text else name
    except BaseException:
        return name
