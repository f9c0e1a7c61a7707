// Traces a Python program line by line: reports the current line to the runtime, and pauses at breakpoints and steps.
//
// Threads: with the GIL, on the frontend. Only frames of the program's own file are traced; frames of libraries cost
// one comparison.
#pragma once

#include <Python.h>

namespace headway::runner::python {

// Traces code objects whose co_filename is this very object. `file_id` names the file in the trace. `work` (bytes; may
// be null) is the kind of each line's own work, by line number: 0 Python, 1 NumPy, 2 import; plus 4 for the line before
// which measuring begins, on a real clock.
void follow_lines(PyObject* file_name, unsigned file_id, PyObject* work);
void stop_following();

}  // namespace headway::runner::python
