// Functions that say and wait for what had been issued at a moment, for the events of dialects. Such a moment is a
// tuple of integers to Python: the number of the last op, and the last command of each lane.
//
// Threads: with the GIL, on the frontend.
#pragma once

#include <Python.h>

namespace headway::runner::python {

extern PyMethodDef issue_point_functions[];  // of the module _headway

}  // namespace headway::runner::python
