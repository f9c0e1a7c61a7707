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

// What the numbers of a tensor stand for. All are float32; a framework's integers and booleans can be looked at, and
// nothing is computed with them, so that no value has another type than the framework's.
enum class Numbers : std::uint8_t { real, integer, boolean };

struct PyTensor {
    PyObject_HEAD  // the macro brings its own semicolon
        nn::Variable held;
    PyObject* place;  // the dialect's device object, or null
    bool waits;
    bool copied_rows;     // State::copied_rows counts this object
    bool seen_elsewhere;  // another object, or a gradient's owner, may hold the same buffer
    Numbers numbers;
};

// How a call may use a tensor; each throws ProgramError where it may not (copied_rows.h, Numbers).
nn::Variable& operand(PyTensor* tensor);                         // computes with the values
nn::Variable& readable(PyTensor* tensor);                        // looks at them, or hands them on as they are
nn::Variable& target(PyTensor* tensor, bool temporary = false);  // overwrites them; `temporary`: nobody else sees it
void written(const PyTensor* tensor);                            // once that is issued
// As readable(), with an exception set in place of a thrown one.
[[nodiscard]] bool can_be_read(const PyTensor* tensor);

// Makes the type and adds it to the module. False with an exception set.
bool add_tensor_type(PyObject* module);

[[nodiscard]] inline bool is_tensor(PyObject* object) {
    return PyObject_TypeCheck(object, state().tensor_type) != 0;
}
[[nodiscard]] inline PyTensor* as_tensor(PyObject* object) {
    return reinterpret_cast<PyTensor*>(object);
}

// A new object of `type` (a subtype of Tensor) around a variable; waits for it where the place asks for that.
PyObject* wrap(PyTypeObject* type, nn::Variable variable, PyObject* place, bool waits, Numbers numbers = Numbers::real);
inline PyObject* wrap_like(PyTensor* like, nn::Variable variable, Numbers numbers = Numbers::real) {
    return wrap(Py_TYPE(like), std::move(variable), like->place, like->waits, numbers);
}
// The same values, in another shape or place; perhaps the same buffer.
PyObject* wrap_same(PyTensor* like, nn::Variable variable);

// A shape from an int or a sequence of ints. False with an exception set.
bool shape_from(PyObject* object, devices::Shape& shape);
PyObject* tuple_from(const devices::Shape& shape);

// The values, as a blocker of this kind: through a copy op in the GPU's stream where the run's framework does it so. A
// tensor of a framework that is synchronous has its values already. Without the GIL; throws as the runtime does.
std::vector<float> read_values(const PyTensor& tensor, trace::WaitKind kind, const char* name);

extern PyNumberMethods number_methods;                // tensor_numbers.cpp
extern PyMethodDef tensor_methods[];                  // tensor_methods.cpp
extern PyGetSetDef tensor_attributes[];               // tensor_methods.cpp
extern PyMappingMethods mapping_methods;              // tensor_rows.cpp
extern PySequenceMethods sequence_methods;            // tensor_rows.cpp
PyObject* compare(PyObject* a, PyObject* b, int op);  // tensor_numbers.cpp

}  // namespace headway::runner::python
