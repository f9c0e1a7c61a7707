// What headway_host.py needs for the frontend of a simulated machine: its clock, time for the program's own work, and
// the operators of types that are written in C (NumPy's arrays), which are counted.
//
// Threads: with the GIL, on the frontend.
#pragma once

#include <Python.h>

namespace headway::runner::python {

extern PyMethodDef simulated_host_functions[];  // of the module _headway

}  // namespace headway::runner::python
