#include "app/runner/python/line_hook.h"

#include <frameobject.h>

#include "app/runner/python/state.h"

namespace headway::runner::python {

namespace {

PyObject* program_file = nullptr;
unsigned program_file_id = 0;
int depth = 0;

bool of_program(PyFrameObject* frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const bool own = code->co_filename == program_file;
    Py_DECREF(code);
    return own;
}

int hook(PyObject*, PyFrameObject* frame, int what, PyObject*) {
    if (what != PyTrace_LINE && what != PyTrace_CALL && what != PyTrace_RETURN) {
        return 0;
    }
    if (!of_program(frame)) {
        return 0;
    }
    if (what == PyTrace_CALL) {
        ++depth;
        return 0;
    }
    if (what == PyTrace_RETURN) {
        --depth;
        return 0;
    }
    State& s = state();
    if (s.runtime == nullptr || s.outside || PyThread_get_thread_ident() != s.frontend_thread) {
        return 0;
    }
    s.runtime->note_work("Python");
    const auto line = core::make_line(program_file_id, static_cast<unsigned>(PyFrame_GetLineNumber(frame)));
    if (!s.runtime->may_stop()) [[likely]] {
        s.runtime->at_line(line, depth);
        return 0;
    }
    return outside_gil([&] { s.runtime->at_line(line, depth); }) ? 0 : -1;
}

}  // namespace

void follow_lines(PyObject* file_name, unsigned file_id) {
    Py_INCREF(file_name);
    Py_XDECREF(program_file);
    program_file = file_name;
    program_file_id = file_id;
    depth = 0;
    PyEval_SetTrace(hook, nullptr);
}

void stop_following() { PyEval_SetTrace(nullptr, nullptr); }

}  // namespace headway::runner::python
