// The Tensor type of Python programs, written in C so that issuing an op from Python costs little more than the op.
//
// Dialects derive from it (torch.Tensor, mxnet.np.ndarray): results have the type of the left operand. If a framework
// is synchronous on a device, its tensors there have `waits` set: every op on them is waited for.
//
// Threads: with the GIL, on the frontend.
#pragma once

#include <Python.h>

#include "app/model/description/numbers.h"
#include "app/runner/python/state.h"

namespace headway::runner::python {

// What the values of a tensor represent. All are stored as float32. Integers and booleans can be read but not computed
// with, so that results never have another type than in the framework.
enum class Numbers : std::uint8_t { real, integer, boolean };

// The name of the waits of a framework that is synchronous on a device.
inline constexpr const char* kFrameworkWait = "framework waits after each op";

struct PyTensor {
    PyObject_HEAD  // the macro brings its own semicolon
        nn::Variable held;
    PyObject* place;  // the dialect's device object, or null
    bool waits;
    bool copied_rows;     // State::copied_rows counts this object as a holder
    bool seen_elsewhere;  // another object, or a gradient's owner, may hold the same buffer
    Numbers numbers;
};

// Access to a tensor by its use; each throws ProgramError if that use is not allowed (copied_rows.h, Numbers).
nn::Variable& operand(PyTensor* tensor);                         // to compute with the values
nn::Variable& readable(PyTensor* tensor);                        // to read the values or pass them on unchanged
nn::Variable& target(PyTensor* tensor, bool temporary = false);  // to overwrite them; `temporary`: no other reference
void written(const PyTensor* tensor);                            // call after issuing a write
// Like readable(), but sets a Python exception instead of throwing.
[[nodiscard]] bool can_be_read(const PyTensor* tensor);

// Creates the type and adds it to the module. False with an exception set.
bool add_tensor_type(PyObject* module);

[[nodiscard]] inline bool is_tensor(PyObject* object) {
    return PyObject_TypeCheck(object, state().tensor_type) != 0;
}
[[nodiscard]] inline PyTensor* as_tensor(PyObject* object) {
    return reinterpret_cast<PyTensor*>(object);
}

// A new object of `type` (a subtype of Tensor) around a variable; waits for its value if `waits` is set.
PyObject* wrap(PyTypeObject* type, nn::Variable variable, PyObject* place, bool waits, Numbers numbers = Numbers::real);
inline PyObject* wrap_like(PyTensor* like, nn::Variable variable, Numbers numbers = Numbers::real) {
    return wrap(Py_TYPE(like), std::move(variable), like->place, like->waits, numbers);
}
// An object with the same values but another shape or place; may share the buffer.
PyObject* wrap_same(PyTensor* like, nn::Variable variable);

// Parses a shape: an int or a sequence of ints. False with an exception set.
bool shape_from(PyObject* object, devices::Shape& shape);
PyObject* tuple_from(const devices::Shape& shape);

// Reads the values; a blocker of this kind. Uses a copy op in the GPU's stream if the framework does so. Tensors of a
// synchronous framework do not block. Call without the GIL (outside_gil()); throws as the runtime does.
std::vector<float> read_values(const PyTensor& tensor, trace::WaitKind kind, const char* name);

extern PyNumberMethods number_methods;                // tensor_numbers.cpp
extern std::vector<PyMethodDef> tensor_methods;       // tensor_methods.cpp
extern PyGetSetDef tensor_attributes[];               // tensor_methods.cpp
extern PyMappingMethods mapping_methods;              // tensor_rows.cpp
extern PySequenceMethods sequence_methods;            // tensor_rows.cpp
PyObject* compare(PyObject* a, PyObject* b, int op);  // tensor_numbers.cpp

}  // namespace headway::runner::python
