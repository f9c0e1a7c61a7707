// A program that is graded (docs/exercises.md): what it may not do in its process, and the values that it computed.
//
// Threads: with the GIL.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

namespace headway::runner::python {

// From now on this process refuses what could reach into the recording or start other programs: ctypes and modules like
// it, mappings of memory, code objects made by hand, other processes, the collector's list of all objects. Python has
// no way to take such a hook away. lib/headway_graded.py refuses most of it before, with better words.
void guard(const std::string& program);

// The values of these top-level names as one JSON object (app/check/json_value.h reads it). Call when all ops of the
// run have ended: tensors are read from the device's memory, and nothing is recorded.
std::string values_json(PyObject* names_and_values, const std::vector<std::string>& wanted);

}  // namespace headway::runner::python
