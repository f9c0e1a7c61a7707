#include "app/runner/python/line_hook.h"

#include <frameobject.h>

#include <array>
#include <string_view>
#include <vector>

#include "app/runner/python/state.h"

namespace headway::runner::python {

namespace {

PyObject* program_file = nullptr;
unsigned program_file_id = 0;
int depth = 0;
constexpr std::array<std::string_view, 3> kWorkNames{"Python", "NumPy", "import"};
std::array<std::uint16_t, kWorkNames.size()> work_names{};
std::vector<std::uint8_t> work_of_line;  // indices into kWorkNames
constexpr std::uint8_t kMeasuredFrom = 4;
unsigned measured_from = 0;  // measuring begins before this line; 0: it has begun, or the program marks it

bool of_program(PyFrameObject* frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const bool own = code->co_filename == program_file;
    Py_DECREF(code);
    return own;
}

// After a return, what the caller still computes belongs to the caller's line.
void return_from(PyFrameObject* frame) {
    State& s = state();
    if (s.runtime == nullptr || s.outside || PyThread_get_thread_ident() != s.frontend_thread) {
        return;
    }
    PyFrameObject* caller = PyFrame_GetBack(frame);
    while (caller != nullptr && !of_program(caller)) {  // a library's function between the two
        PyFrameObject* next = PyFrame_GetBack(caller);
        Py_DECREF(caller);
        caller = next;
    }
    if (caller != nullptr) {
        const auto number = static_cast<unsigned>(PyFrame_GetLineNumber(caller));
        Py_DECREF(caller);
        const auto lock = run_lock();
        const core::Line line = core::make_line(program_file_id, number);
        s.runtime->lines.set(line);  // not at_line(): a return must not end a step
        s.runtime->recorder.recording().control().current_line.store(line, std::memory_order_relaxed);
    }
}

int hook(PyObject*, PyFrameObject* frame, int what, PyObject* result) {
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
        if (result != nullptr) {  // else an exception: keep the line where it was raised
            return_from(frame);
        }
        return 0;
    }
    State& s = state();
    if (s.runtime == nullptr || s.outside || PyThread_get_thread_ident() != s.frontend_thread) {
        return 0;
    }
    const auto number = static_cast<unsigned>(PyFrame_GetLineNumber(frame));
    const auto line = core::make_line(program_file_id, number);
    {
        const auto lock = run_lock();
        s.runtime->recorder.account_line(work_names[number < work_of_line.size() ? work_of_line[number] : 0]);
        if (measured_from != 0 && number >= measured_from) [[unlikely]] {
            measured_from = 0;
            s.runtime->events.measure_begin();
        }
        if (s.stop_raised_ns != 0) [[unlikely]] {
            return 0;  // the program is stopping: let its exception handlers run undisturbed
        }
        if (!s.runtime->control.may_stop()) [[likely]] {
            s.runtime->control.at_line(line, depth);
            return 0;
        }
    }
    return outside_gil([&] { s.runtime->control.at_line(line, depth); }) ? 0 : -1;
}

}  // namespace

void follow_lines(PyObject* file_name, unsigned file_id, PyObject* work) {
    trace::Recording& recording = state().runtime->recorder.recording();
    for (std::size_t i = 0; i < kWorkNames.size(); ++i) {
        work_names[i] = recording.string_id(kWorkNames[i]);
    }
    work_of_line.clear();
    measured_from = 0;
    const bool virtual_time = recording.header().clock() != trace::ClockKind::ticks;
    if (work != nullptr && PyBytes_Check(work) != 0) {
        for (Py_ssize_t i = 0; i < PyBytes_GET_SIZE(work); ++i) {
            const auto byte = static_cast<std::uint8_t>(PyBytes_AS_STRING(work)[i]);
            // In virtual time imports take no time.
            if ((byte & kMeasuredFrom) != 0 && !virtual_time) {
                measured_from = static_cast<unsigned>(i);
            }
            const auto kind = static_cast<std::uint8_t>(byte & ~kMeasuredFrom);
            work_of_line.push_back(kind < kWorkNames.size() ? kind : std::uint8_t{0});
        }
    }
    state().runtime->recorder.account_for_language(work_names[0]);
    Py_INCREF(file_name);
    Py_XDECREF(program_file);
    program_file = file_name;
    program_file_id = file_id;
    depth = 0;
    PyEval_SetTrace(hook, nullptr);
}

void stop_following() {
    PyEval_SetTrace(nullptr, nullptr);
}

}  // namespace headway::runner::python
