// Follows a Python program line by line: tells the runtime where it is, and stops where the learner wants it to.
//
// Threads: with the GIL, on the frontend. Only frames of the program's own file count; library frames cost a compare.
#pragma once

#include <Python.h>

namespace headway::runner::python {

// Lines of code objects whose co_filename is this very object are the program's. `file_id` names it in the trace.
// `work` (bytes; may be null) says of each line, by number, what its own work is called: 0 Python, 1 NumPy, 2 import.
void follow_lines(PyObject* file_name, unsigned file_id, PyObject* work);
void stop_following();

}  // namespace headway::runner::python
