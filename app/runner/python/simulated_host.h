// Functions that headway_host.py needs for the frontend of a simulated machine: its clock, the duration of the
// program's own work, and hooks that count the operators of types written in C (NumPy's arrays).
//
// Threads: with the GIL, on the frontend.
#pragma once

#include <Python.h>

namespace headway::runner::python {

extern PyMethodDef simulated_host_functions[];  // of the module _headway

}  // namespace headway::runner::python
