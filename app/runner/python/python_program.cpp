#include "app/runner/python/python_program.h"

#include <Python.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/runner/python/line_hook.h"
#include "app/runner/python/module.h"
#include "app/runner/python/tensor_type.h"

namespace headway::runner {

namespace {

using python::state;

// Where the modules that programs import lie: beside the executable in a build, under share/ when installed.
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
    const char* text = object != nullptr && PyUnicode_Check(object) != 0 ? PyUnicode_AsUTF8(object) : nullptr;
    PyErr_Clear();
    return text != nullptr ? text : "";
}

core::Error failed(std::string message) { return {core::ErrorKind::failed, std::move(message), {}, 0, 0}; }

// Starts the system's interpreter, isolated from the user's own settings. Once per process.
void start_interpreter() {
    PyImport_AppendInittab("_headway", python::make_module);
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.install_signal_handlers = 0;
    config.write_bytecode = 0;
    // Otherwise the prefix is looked for along PATH, where another Python may come first.
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

// What the driver tells of a program that ended early.
core::Error error_from(PyObject* told, runtime::Runtime& rt) {
    core::Error error = failed(text_of(PyTuple_GetItem(told, 0)));
    error.line = static_cast<std::uint32_t>(PyLong_AsUnsignedLong(PyTuple_GetItem(told, 1)));
    const std::string kind = text_of(PyTuple_GetItem(told, 2));
    PyErr_Clear();
    error.file = std::string(rt.file_name(1));
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
        throw runtime::ProgramError(failed("Headway's Python modules are missing beside the runner"));
    }
    runtime::Runtime& rt = context.runtime();
    const auto process = getpid();
    start_interpreter();

    python::State& s = state();
    s.runtime = &rt;
    s.frontend_thread = PyThread_get_thread_ident();
    rt.own_lines();
    const unsigned file_id = rt.add_file(name());

    core::Error error;
    bool good = false;
    PyObject* path = PySys_GetObject("path");  // borrowed
    PyObject* entry = PyUnicode_FromString(library.c_str());
    PyList_Insert(path, 0, entry);
    Py_XDECREF(entry);
    PyObject* driver = PyImport_ImportModule("headway_drive");
    PyObject* set = PyDict_New();
    for (const auto& [name, value] : source_.set) {
        PyObject* text = PyUnicode_FromString(value.c_str());
        PyDict_SetItemString(set, name.c_str(), text);
        Py_XDECREF(text);
    }
    PyObject* prepared = driver != nullptr ? PyObject_CallMethod(driver, "prepare", "sssO", source_.path.c_str(),
                                                                 name().c_str(), source_.tab.c_str(), set)
                                           : nullptr;
    PyObject* told = nullptr;
    if (prepared != nullptr && PyTuple_Check(prepared) != 0) {
        told = prepared;  // (message, line, kind): it cannot be run
        Py_INCREF(told);
    } else if (prepared != nullptr) {
        PyObject* file_name = PyObject_GetAttrString(prepared, "file_name");
        PyObject* work = PyObject_GetAttrString(prepared, "work");
        python::follow_lines(file_name, file_id, work);
        Py_XDECREF(work);
        told = PyObject_CallMethod(driver, "run", "O", prepared);
        python::stop_following();
        Py_XDECREF(file_name);
    }
    if (getpid() != process) {
        _exit(0);  // a child that the program forked: the run is its parent's
    }
    if (told == nullptr) {
        // Not even the driver could catch it, or there is no driver.
        error = failed("the program ended in an unexpected way");
        if (PyErr_Occurred() != nullptr) {
            if (PyErr_ExceptionMatches(s.stop) != 0 || PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
                error.kind = core::ErrorKind::stopped;
                error.message = "stopped";
            } else {
                PyErr_Print();
            }
        }
    } else if (told == Py_None) {
        good = true;
    } else {
        error = error_from(told, rt);
    }
    PyErr_Clear();
    Py_XDECREF(told);
    Py_XDECREF(prepared);
    Py_XDECREF(set);
    Py_XDECREF(driver);
    s.orphans.clear();
    s.runtime = nullptr;  // tensors that somebody still holds are left alone from here on
    PyEval_SaveThread();  // the interpreter stays as it is: the process ends soon
    if (!good) {
        throw runtime::ProgramError(error);
    }
}

}  // namespace

core::Result<std::unique_ptr<Program>> make_python_program(PythonSource source) {
    std::error_code problem;
    const bool there = std::filesystem::is_regular_file(source.path, problem);
    if (!there || access(source.path.c_str(), R_OK) != 0) {
        return core::Error{core::ErrorKind::unreadable,
                           source.path + (there ? " cannot be read" : " is no file that can be read"), {}, 0, 0};
    }
    return std::unique_ptr<Program>(std::make_unique<PythonProgram>(std::move(source)));
}

std::string python_unavailable() { return ""; }

}  // namespace headway::runner
