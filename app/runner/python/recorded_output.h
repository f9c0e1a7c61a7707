// Records what the program writes to stdout and stderr, when it does.
//
// Threads: with the GIL. Only what the frontend's thread writes is recorded.
#pragma once

#include <Python.h>

namespace headway::runner::python {

extern PyMethodDef recorded_output_functions[];  // of the module _headway

}  // namespace headway::runner::python
