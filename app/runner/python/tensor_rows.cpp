// Indexing of the Python Tensor: reading and writing rows.
#include "app/runner/python/tensor_type.h"

namespace headway::runner::python {

namespace {

using nn::Variable;

// Parses an index into axis 0: an int drops the axis, a slice of step 1 keeps it.
bool rows_from(PyObject* self, PyObject* key, std::int64_t& start, std::int64_t& rows, bool& drop_axis) {
    const devices::Shape& shape = as_tensor(self)->held.shape();
    if (shape.rank == 0) {
        PyErr_SetString(PyExc_IndexError, "a tensor without dimensions cannot be indexed");
        return false;
    }
    if (PyIndex_Check(key)) {
        const Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (i == -1 && PyErr_Occurred() != nullptr) {
            return false;
        }
        start = i < 0 ? i + shape[0] : i;
        rows = 1;
        drop_axis = true;
        if (start < 0 || start >= shape[0]) {
            PyErr_Format(PyExc_IndexError, "row %zd of a tensor with %lld rows", i, static_cast<long long>(shape[0]));
            return false;
        }
        return true;
    }
    if (PySlice_Check(key)) {
        Py_ssize_t first = 0, last = 0, step = 0;
        if (PySlice_Unpack(key, &first, &last, &step) < 0) {
            return false;
        }
        const Py_ssize_t count = PySlice_AdjustIndices(shape[0], &first, &last, step);
        if (step != 1 || count < 1) {
            PyErr_SetString(PyExc_NotImplementedError,
                            "Headway's tensors are sliced by rows, with step 1 and at least one row");
            return false;
        }
        start = first;
        rows = count;
        drop_axis = false;
        return true;
    }
    PyErr_Format(PyExc_NotImplementedError, "Headway's tensors are indexed by an int or a slice of rows, not by %s",
                 Py_TYPE(key)->tp_name);
    return false;
}

devices::Shape without_first(const devices::Shape& shape) {
    devices::Shape rest;
    for (int i = 1; i < shape.rank; ++i) {
        rest[rest.rank++] = shape[i];
    }
    return rest;
}

PyObject* subscript(PyObject* self, PyObject* key) {
    std::int64_t start = 0, rows = 0;
    bool drop_axis = false;
    if (frontend() == nullptr || !rows_from(self, key, start, rows, drop_axis)) {
        return nullptr;
    }
    return guarded([&] {
        PyTensor* tensor = as_tensor(self);
        Variable part = nn::slice(readable(tensor), start, rows);
        if (drop_axis) {
            part = nn::reshape(part, without_first(tensor->held.shape()));
        }
        state().copied_rows.add(part.value().buffer_id(), tensor->held.value().buffer_id());
        return wrap_same(tensor, std::move(part));
    });
}

int assign(PyObject* self, PyObject* key, PyObject* value) {
    std::int64_t start = 0, rows = 0;
    bool drop_axis = false;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr) {
        return -1;
    }
    if (value == nullptr) {
        PyErr_SetString(PyExc_TypeError, "a tensor's rows cannot be deleted");
        return -1;
    }
    if (!rows_from(self, key, start, rows, drop_axis)) {
        return -1;
    }
    PyObject* done = guarded([&]() -> PyObject* {
        devices::Shape shape = as_tensor(self)->held.shape();
        shape[0] = rows;
        Variable part;
        if (is_tensor(value)) {
            part = nn::reshape(operand(as_tensor(value)), shape);
        } else {
            const double number = PyFloat_AsDouble(value);
            if (number == -1.0 && PyErr_Occurred() != nullptr) {
                return nullptr;
            }
            const runtime::OnDevice there(*runtime, as_tensor(self)->held.value().device());
            part = Variable(runtime->full(shape, static_cast<float>(number)));
        }
        nn::assign_slice(target(as_tensor(self)), start, part);
        written(as_tensor(self));
        return Py_None;
    });
    return done != nullptr ? 0 : -1;
}

Py_ssize_t length(PyObject* self) {
    const devices::Shape& shape = as_tensor(self)->held.shape();
    if (shape.rank == 0) {
        PyErr_SetString(PyExc_TypeError, "a tensor without dimensions has no length");
        return -1;
    }
    return shape[0];
}

PyObject* row(PyObject* self, Py_ssize_t i) {
    const devices::Shape& shape = as_tensor(self)->held.shape();
    if (shape.rank == 0 || i < 0 || i >= shape[0]) {
        PyErr_SetString(PyExc_IndexError, "no more rows");
        return nullptr;
    }
    PyObject* key = PyLong_FromSsize_t(i);
    PyObject* result = key != nullptr ? subscript(self, key) : nullptr;
    Py_XDECREF(key);
    return result;
}

}  // namespace

PyMappingMethods mapping_methods = {length, subscript, assign};
PySequenceMethods sequence_methods = [] {
    PySequenceMethods m{};
    m.sq_length = length;
    m.sq_item = row;
    return m;
}();

}  // namespace headway::runner::python
