// The built-in module _headway, on which the dialects and the module `headway` are built.
//
// Threads: with the GIL; most functions are for the frontend only.
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>

namespace headway::runtime {
class Runtime;
}  // namespace headway::runtime

namespace headway::runner::python {

PyObject* make_module();  // PyInit__headway

// When a completed op of this lane ended, in nanoseconds on the run's clock. Rare, so it is looked up in the recording;
// empty if it is no longer there.
inline constexpr const char* kEndNotRecorded =
    "the time of this event is not known: the recording was full, and the record of the event is missing";
std::optional<double> recorded_end_ns(runtime::Runtime& runtime, std::uint32_t op, std::uint32_t lane);

// Its functions, by subject; each table is in the file of that name.
extern PyMethodDef issue_point_functions[];      // moments of the run: what had been issued then, and its end
extern PyMethodDef program_stream_functions[];   // streams that the program orders itself
extern PyMethodDef recorded_output_functions[];  // what the program writes to stdout and stderr, recorded when it does
// The clock of a simulated machine's frontend, the duration of the program's own work, and hooks that count the
// operators of types written in C (NumPy's arrays).
extern PyMethodDef simulated_host_functions[];
extern PyMethodDef torch_host_functions[];       // the PyTorch module
extern PyMethodDef traced_function_functions[];  // functions that are recorded as graphs

}  // namespace headway::runner::python
