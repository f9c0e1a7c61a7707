// Where and as what the functions of _headway create tensors.
//
// Threads: with the GIL, on the frontend.
#pragma once

#include <Python.h>

#include <utility>

#include "app/runner/python/state.h"
#include "app/runner/python/tensor_type.h"

namespace headway::runner::python {

// Common trailing arguments of the functions that create tensors: type, place, waits, and the number of the device to
// create them on (see cpu() and gpu(); -1: the run's).
struct Target {
    PyTypeObject* type = nullptr;
    PyObject* place = nullptr;
    int waits = 0;
    int device = -1;
};

inline PyObject* made(const Target& target, runtime::Tensor tensor) {
    return wrap(target.type, nn::Variable(std::move(tensor)), target.place == Py_None ? nullptr : target.place,
                target.waits != 0);
}

// Fills in the default type; false with an exception set if the device or the type is invalid.
inline bool good_type(Target& target) {
    if (target.device >= state().runtime->lanes.devices()) {
        PyErr_SetString(PyExc_ValueError, "the run has no device of this number");
        return false;
    }
    if (target.type == nullptr) {
        target.type = state().tensor_type;
    }
    if (PyType_IsSubtype(target.type, state().tensor_type) == 0) {
        PyErr_SetString(PyExc_TypeError, "a tensor type is wanted");
        return false;
    }
    return true;
}

}  // namespace headway::runner::python
