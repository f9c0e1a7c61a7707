// The built-in module _headway, on which the dialects and the module `headway` are built.
//
// Threads: those that hold the GIL.
#pragma once

#include <Python.h>

namespace headway::runner::python {

PyObject* make_module();  // PyInit__headway

}  // namespace headway::runner::python
