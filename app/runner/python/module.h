// The built-in module _headway, on which the dialects and the module `headway` are built.
//
// Threads: with the GIL; most functions are for the frontend only.
#pragma once

#include <Python.h>

namespace headway::runner::python {

PyObject* make_module();  // PyInit__headway

// Its functions, by subject; each table is in the file of that name.
extern PyMethodDef issue_point_functions[];      // moments of the run: what had been issued then, and its end
extern PyMethodDef recorded_output_functions[];  // what the program writes to stdout and stderr, recorded when it does
// The clock of a simulated machine's frontend, the duration of the program's own work, and hooks that count the
// operators of types written in C (NumPy's arrays).
extern PyMethodDef simulated_host_functions[];
extern PyMethodDef torch_host_functions[];       // the PyTorch module
extern PyMethodDef traced_function_functions[];  // functions that are recorded as graphs

}  // namespace headway::runner::python
