// The Python frontend's state within one run: runtime, tensor type, errors. There is one interpreter and one run per
// process, so there is one instance: state().
//
// Threads: with the GIL. Only the frontend thread may use `runtime`; tensors that are destroyed elsewhere are queued in
// `orphans`.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "app/runner/python/copied_rows.h"
#include "app/runner/python/torch_host.h"
#include "engine/nn/ops.h"
#include "engine/nn/tape.h"
#include "engine/runtime/runtime.h"

namespace headway::runner::python {

struct State {
    runtime::Runtime* runtime = nullptr;
    unsigned long frontend_thread = 0;
    bool outside = false;               // the frontend is in outside_gil(): no other thread may use the runtime
    std::vector<nn::Variable> orphans;  // released by other threads, or while `outside`
    CopiedRows copied_rows;
    PyObject* error = nullptr;          // headway.Error
    PyObject* out_of_memory = nullptr;  // headway.OutOfMemoryError, an Error
    PyObject* stop = nullptr;           // headway.Stop, a BaseException
    PyTypeObject* tensor_type = nullptr;
    // Since when the program handles headway.Stop (core::monotonic_ns()); 0: not stopped.
    std::int64_t stop_raised_ns = 0;
    bool stop_wanted = false;  // headway.Stop is to be raised by the handler of a signal
    core::Error last_error;    // the last engine error that was raised, for the report
};

// The process's only State.
State& state();

// Raises the Python exception for an engine error and returns null.
PyObject* raise(const core::Error& error);

// The runtime, for a call from Python; null with an exception set when no run is in progress or the thread is not the
// frontend.
runtime::Runtime* frontend();

// Runs `call` without the GIL, turning engine errors into Python exceptions. False with an exception set on failure.
template <class Call>
bool outside_gil(Call call) {
    State& s = state();
    core::Error error;
    bool failed = false;
    s.outside = true;
    Py_BEGIN_ALLOW_THREADS;
    try {
        const auto lock = run_lock();
        call();
    } catch (const runtime::ProgramError& e) {
        error = e.error();
        failed = true;
    }
    Py_END_ALLOW_THREADS;
    s.outside = false;
    if (failed) {
        raise(error);
    }
    return !failed;
}

// Runs `call` with the GIL and returns its result; null with an exception set when it throws.
template <class Call>
PyObject* guarded(Call call) {
    try {
        return call();
    } catch (const runtime::ProgramError& e) {
        return raise(e.error());
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

}  // namespace headway::runner::python
