// The Tensor that Python programs hold: a type of its own in C, so that issuing an op costs little more than the op.
//
// Dialects derive from it (torch.Tensor, mxnet.np.ndarray): results have the type of the left operand. A tensor of a
// framework that is synchronous on this device carries `waits`: every op on it is waited for.
//
// Threads: with the GIL, on the frontend.
#pragma once

#include <Python.h>

#include "app/runner/python/state.h"

namespace headway::runner::python {

struct PyTensor {
    PyObject_HEAD  // the macro brings its own semicolon
    nn::Variable variable;
    PyObject* place;  // the dialect's device object, or null
    bool waits;
};

// Makes the type and adds it to the module. False with an exception set.
bool add_tensor_type(PyObject* module);

[[nodiscard]] inline bool is_tensor(PyObject* object) {
    return PyObject_TypeCheck(object, state().tensor_type) != 0;
}
[[nodiscard]] inline PyTensor* as_tensor(PyObject* object) { return reinterpret_cast<PyTensor*>(object); }

// A new object of `type` (a subtype of Tensor) around a variable; waits for it where the place asks for that.
PyObject* wrap(PyTypeObject* type, nn::Variable variable, PyObject* place, bool waits);
inline PyObject* wrap_like(PyTensor* like, nn::Variable variable) {
    return wrap(Py_TYPE(like), std::move(variable), like->place, like->waits);
}

// A shape from an int or a sequence of ints. False with an exception set.
bool shape_from(PyObject* object, devices::Shape& shape);
PyObject* tuple_from(const devices::Shape& shape);

extern PyNumberMethods number_methods;      // tensor_numbers.cpp
extern PyMethodDef tensor_methods[];        // tensor_methods.cpp
extern PyGetSetDef tensor_attributes[];     // tensor_methods.cpp
extern PyMappingMethods mapping_methods;    // tensor_methods.cpp
extern PySequenceMethods sequence_methods;  // tensor_methods.cpp
PyObject* compare(PyObject* a, PyObject* b, int op);  // tensor_numbers.cpp

}  // namespace headway::runner::python
