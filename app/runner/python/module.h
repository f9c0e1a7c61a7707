// The built-in module _headway: what the dialects and the plain module `headway` are written on.
#pragma once

#include <Python.h>

namespace headway::runner::python {

PyObject* make_module();  // PyInit__headway

}  // namespace headway::runner::python
