#include "app/runner/python/python_program.h"

#include <Python.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "app/runner/python/graded.h"
#include "app/runner/python/line_hook.h"
#include "app/runner/python/module.h"
#include "app/runner/python/tensor_type.h"
#include "engine/core/clock.h"
#include "engine/core/system/thread.h"

namespace headway::runner {

namespace {

using python::state;

// The folder of the modules that programs import: next to the executable in a build, under share/ when installed.
std::filesystem::path library_dir() {
    std::error_code ignored;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const auto& candidate : {here / "python", here / ".." / "share" / "headway" / "python"}) {
        if (std::filesystem::exists(candidate / "headway_drive.py", ignored)) {
            return candidate;
        }
    }
    return {};
}

std::string text_of(PyObject* object) {
    if (object == nullptr || PyUnicode_Check(object) == 0) {
        return "";
    }
    // surrogateescape restores the original bytes of names that are not UTF-8.
    PyObject* bytes = PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape");
    PyErr_Clear();
    if (bytes == nullptr) {  // other lone surrogates
        bytes = PyUnicode_AsEncodedString(object, "utf-8", "backslashreplace");
        PyErr_Clear();
    }
    std::string text;
    if (bytes != nullptr) {
        text.assign(PyBytes_AsString(bytes), static_cast<std::size_t>(PyBytes_Size(bytes)));
    }
    Py_XDECREF(bytes);
    // A NUL would end the text where it is recorded.
    for (std::size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at)) {
        text.replace(at, 1, "\\0");
    }
    return text;
}

core::Error failed(std::string message) {
    return {core::ErrorKind::failed, std::move(message), {}, 0, 0};
}

// The signal that interrupts a call that sleeps or waits. The system ignores it by default, and programs rarely use it.
constexpr int kStopSignal = SIGURG;

// The program's handler of kStopSignal. It is a function of C, so that no line of Headway's is in a traceback.
PyObject* stop_now(PyObject*, PyObject*) {
    python::State& s = state();
    if (!s.stop_wanted) {
        Py_RETURN_NONE;
    }
    s.stop_wanted = false;
    PyErr_SetString(s.stop, "stopped");
    return nullptr;
}

// Makes Python call stop_now() in the frontend's thread when kStopSignal arrives, within time.sleep() and other waits,
// too: Python ends them with what a handler raises. Without this function a stop waits for their end.
void listen_for_stop() {
    static PyMethodDef definition = {"stop", stop_now, METH_VARARGS, "Ends a run that its user has stopped."};
    PyObject* handler = PyCFunction_New(&definition, nullptr);
    PyObject* module = PyImport_ImportModule("signal");
    PyObject* before = handler != nullptr && module != nullptr
                           ? PyObject_CallMethod(module, "signal", "iO", kStopSignal, handler)
                           : nullptr;
    Py_XDECREF(before);
    Py_XDECREF(handler);
    // _thread.interrupt_main() calls Python's handler of SIGINT. The signal itself stays ours.
    struct sigaction ours {};
    sigaction(SIGINT, nullptr, &ours);
    handler = module != nullptr ? PyObject_GetAttrString(module, "default_int_handler") : nullptr;
    before = handler != nullptr ? PyObject_CallMethod(module, "signal", "iO", SIGINT, handler) : nullptr;
    sigaction(SIGINT, &ours, nullptr);
    PyErr_Clear();
    Py_XDECREF(before);
    Py_XDECREF(handler);
    Py_XDECREF(module);
}

// Stops a program that reaches no new line (`while True: pass` on one line, `time.sleep(60)`) and so does not notice
// the request: raises Stop in it repeatedly until it ends. A call into C that neither Python nor a signal ends has to
// return first.
void stop_when_asked(const std::stop_token& over, const trace::Control& control, pthread_t frontend) {
    constexpr auto kLook = std::chrono::milliseconds(50);
    constexpr int kGrace = 4;                           // polls before raising: stopping at the next line is preferred
    constexpr std::int64_t kCleanUpNs = 1'000'000'000;  // for the program's exception handlers, once it was raised
    for (int asked = 0; core::sleep_until_stop(over, kLook);) {
        asked = control.stop.load() != 0 ? asked + 1 : 0;
        if (asked < kGrace) {
            continue;
        }
        const PyGILState_STATE held = PyGILState_Ensure();
        python::State& s = python::state();
        const bool cleans_up = s.stop_raised_ns != 0 && core::monotonic_ns() - s.stop_raised_ns < kCleanUpNs;
        const bool running = !over.stop_requested() && s.runtime != nullptr;
        if (running && asked % kGrace == 0 && !cleans_up) {
            s.stop_raised_ns = core::monotonic_ns();
            s.stop_wanted = true;
            pthread_kill(frontend, kStopSignal);
        } else if (running && asked % kGrace == 1 && s.stop_wanted) {
            s.stop_wanted = false;  // the program has replaced the handler, or a call in C goes on
            PyThreadState_SetAsyncExc(s.frontend_thread, s.stop);
        }
        PyGILState_Release(held);
    }
}

// Runs in a process that the program has forked: it has neither the backend's threads nor its own recording, and
// signals end it.
void live_as_a_fork() {
    python::close_torch();
    if (runtime::Runtime* rt = python::state().runtime; rt != nullptr) {
        rt->control.leave_to_the_parent();
    }
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(kStopSignal, SIG_IGN);
}

// Starts the system's interpreter, isolated from the user's own settings. Once per process.
void start_interpreter() {
    PyImport_AppendInittab("_headway", python::make_module);
    // Use UTF-8 regardless of the locale: for output, files and file names.
    PyPreConfig before;
    PyPreConfig_InitIsolatedConfig(&before);
    before.utf8_mode = 1;
    if (const PyStatus status = Py_PreInitialize(&before); PyStatus_Exception(status) != 0) {
        throw runtime::ProgramError(failed("Python cannot start: its text encoding cannot be set"));
    }
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.install_signal_handlers = 0;
    config.write_bytecode = 0;
    config.use_hash_seed = 1;  // of seed 0: sets have the same order in each run
    config.hash_seed = 0;
    // Otherwise Python derives its prefix from PATH, where another Python may come first.
    PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, "/usr/bin/python3");
    if (PyStatus_Exception(status) == 0) {
        status = Py_InitializeFromConfig(&config);
    }
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status) != 0) {
        throw runtime::ProgramError(failed(std::string("Python cannot start: ") +
                                           (status.err_msg != nullptr ? status.err_msg : "unknown reason")));
    }
}

// Converts the driver's (message, line, kind) for a program that ended early.
core::Error error_from(PyObject* outcome, runtime::Runtime& rt) {
    core::Error error = failed(text_of(PyTuple_GetItem(outcome, 0)));
    error.line = static_cast<std::uint32_t>(PyLong_AsUnsignedLong(PyTuple_GetItem(outcome, 1)));
    const std::string kind = text_of(PyTuple_GetItem(outcome, 2));
    PyErr_Clear();
    error.file = std::string(rt.lines.name_of_file(1));
    if (kind == "engine") {
        const core::Error& engine = state().last_error;
        error.kind = engine.kind;
        error.op = engine.op;
        if (engine.line != 0) {
            error.line = engine.line;
        }
    } else if (kind == "stopped") {
        error.kind = core::ErrorKind::stopped;
    } else if (kind == "unreadable") {
        error.kind = core::ErrorKind::unreadable;
    }
    return error;
}

// If there are exit handlers or threads, ends the run, runs the handlers and waits for the threads. Then drops the
// variables.
void leave(PyObject* driver, PyObject* prepared, PyObject* outcome, ProgramContext& context, std::jthread& stopper) {
    PyObject* work = PyObject_CallMethod(driver, "has_exit_work", nullptr);
    if (work == Py_True) {
        std::optional<core::Error> error;
        if (outcome != Py_None) {
            error = error_from(outcome, context.runtime());
        }
        const bool stopped = error && error->kind == core::ErrorKind::stopped;
        if (stopped) {
            stopper.request_stop();  // the exit handlers are not interrupted
        }
        PyThreadState* mine = PyEval_SaveThread();
        context.end(std::move(error));
        PyEval_RestoreThread(mine);
        Py_XDECREF(PyObject_CallMethod(driver, "leave", "i", stopped ? 1 : 0));
    }
    Py_XDECREF(work);
    PyErr_Clear();
    Py_XDECREF(PyObject_CallMethod(driver, "clear", "O", prepared));
    PyErr_Clear();
}

// Ends the run and records the values of a graded program, if it ended well.
void record_results(PyObject* prepared, const std::vector<std::string>& wanted, ProgramContext& context) {
    PyThreadState* mine = PyEval_SaveThread();
    context.end(std::nullopt);
    PyEval_RestoreThread(mine);
    if (context.runtime().waits.any_failure()) {
        return;
    }
    PyObject* space = PyObject_GetAttrString(prepared, "space");
    if (space != nullptr && PyDict_Check(space) != 0) {
        context.set_result(R"({"values": )" + python::values_json(space, wanted) + "}");
    }
    Py_XDECREF(space);
    PyErr_Clear();
}

class PythonProgram final : public Program {
public:
    explicit PythonProgram(PythonSource source) : source_(std::move(source)) {}

    std::string name() const override { return std::filesystem::path(source_.path).filename().string(); }
    std::string title() const override { return name(); }
    std::string frontend() const override { return "Python"; }
    std::vector<lesson::Parameter> parameters() const override { return {}; }
    void run(ProgramContext& context) const override;

private:
    PythonSource source_;
};

void PythonProgram::run(ProgramContext& context) const {
    const auto library = library_dir();
    if (library.empty()) {
        throw runtime::ProgramError(
            failed("Headway's Python modules are missing: headway_drive.py is not in the folder python next to "
                   "headway-runner"));
    }
    runtime::Runtime& rt = context.runtime();
    const auto process = getpid();
    start_interpreter();

    python::State& s = state();
    s.runtime = &rt;
    s.frontend_thread = PyThread_get_thread_ident();
    rt.lines.take_over();
    static std::once_flag forks;
    std::call_once(forks, [] { pthread_atfork(nullptr, nullptr, live_as_a_fork); });
    const unsigned file_id = rt.lines.add_file(name());

    core::Error error;
    bool good = false;
    PyObject* path = PySys_GetObject("path");  // borrowed
    PyObject* entry = PyUnicode_DecodeFSDefault(library.c_str());
    if (entry != nullptr) {
        PyList_Insert(path, 0, entry);
    }
    Py_XDECREF(entry);
    if (!source_.folder.empty()) {
        // After our own folder, so that a file named torch.py does not replace the dialect.
        PyObject* folder = PyUnicode_DecodeFSDefault(source_.folder.c_str());
        PyList_Insert(path, 1, folder);
        Py_XDECREF(folder);
    }
    PyObject* driver = PyImport_ImportModule("headway_drive");
    PyObject* set = PyDict_New();
    for (const auto& [name, value] : source_.set) {
        // Decoded like command line arguments, so that any bytes are preserved.
        PyObject* key = PyUnicode_DecodeFSDefault(name.c_str());
        PyObject* text = PyUnicode_DecodeFSDefault(value.c_str());
        if (key != nullptr && text != nullptr) {
            PyDict_SetItem(set, key, text);
        }
        Py_XDECREF(key);
        Py_XDECREF(text);
    }
    PyObject* path_text = PyUnicode_DecodeFSDefault(source_.path.c_str());
    PyObject* name_text = PyUnicode_DecodeFSDefault(name().c_str());
    PyObject* prepared =
        driver != nullptr && path_text != nullptr && name_text != nullptr
            ? PyObject_CallMethod(driver, "prepare", "OOsOii", path_text, name_text, source_.tab.c_str(), set,
                                  source_.graded ? 1 : 0, source_.pytorch ? 1 : 0)
            : nullptr;
    Py_XDECREF(path_text);
    Py_XDECREF(name_text);
    PyObject* outcome = nullptr;
    if (prepared != nullptr && PyTuple_Check(prepared) != 0) {
        outcome = prepared;  // (message, line, kind): the program cannot be run
        Py_INCREF(outcome);
    } else if (prepared != nullptr) {
        PyObject* file_name = PyObject_GetAttrString(prepared, "file_name");
        PyObject* work = PyObject_GetAttrString(prepared, "work");
        const std::string place = source_.folder.empty() ? name() : source_.folder + "/" + name();
        PyObject* place_text = PyUnicode_DecodeFSDefault(place.c_str());
        PyObject_SetAttrString(prepared, "place", place_text);
        Py_XDECREF(place_text);
        python::follow_lines(file_name, file_id, work);
        Py_XDECREF(work);
        const trace::Control& control = rt.recorder.recording().control();
        listen_for_stop();
        std::jthread stopper([&control, frontend = pthread_self()](const std::stop_token& over) {
            stop_when_asked(over, control, frontend);
        });
        if (source_.graded) {
            python::guard(name());
        }
        outcome = PyObject_CallMethod(driver, "run", "O", prepared);
        if (getpid() != process) {
            PyObject* status = PyObject_GetAttrString(prepared, "status");
            _exit(status != nullptr ? static_cast<int>(PyLong_AsLong(status)) : 1);  // the run belongs to its parent
        }
        python::stop_following();
        if (outcome == Py_None && source_.graded) {
            record_results(prepared, *source_.graded, context);
        }
        if (outcome != nullptr) {
            leave(driver, prepared, outcome, context, stopper);
        }
        stopper.request_stop();
        PyThreadState* mine = PyEval_SaveThread();  // the stopper may be waiting for the GIL
        stopper.join();
        PyEval_RestoreThread(mine);
        PyThreadState_SetAsyncExc(s.frontend_thread, nullptr);  // clears a late request
        Py_XDECREF(file_name);
    }
    if (outcome == nullptr) {
        // The driver could not catch the exception, or could not be loaded.
        error = failed("the program ended unexpectedly");
        if (PyErr_Occurred() != nullptr) {
            if (PyErr_ExceptionMatches(s.stop) != 0 || PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
                error.kind = core::ErrorKind::stopped;
                error.message = "stopped";
            }
        }
    } else if (outcome == Py_None) {
        good = true;
    } else {
        error = error_from(outcome, rt);
    }
    PyErr_Clear();
    Py_XDECREF(outcome);
    Py_XDECREF(prepared);
    Py_XDECREF(set);
    Py_XDECREF(driver);
    s.orphans.clear();
    s.copied_rows.clear();
    {
        const auto lock = python::run_lock();
        s.runtime = nullptr;  // tensors that are still referenced are leaked from here on
    }
    PyEval_SaveThread();  // the interpreter is not finalised, because the process ends soon
    if (!good) {
        throw runtime::ProgramError(error);
    }
}

}  // namespace

core::Result<std::unique_ptr<Program>> make_python_program(PythonSource source) {
    std::error_code problem;
    const bool there = std::filesystem::is_regular_file(source.path, problem);
    if (!there || access(source.path.c_str(), R_OK) != 0) {
        return core::Error{
            core::ErrorKind::unreadable, source.path + (there ? " cannot be read" : " is not a file"), {}, 0, 0};
    }
    return std::unique_ptr<Program>(std::make_unique<PythonProgram>(std::move(source)));
}

std::string python_unavailable() {
    return "";
}

}  // namespace headway::runner
