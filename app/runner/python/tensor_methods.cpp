// Methods and attributes of the Python Tensor that all dialects share.
#include <cstring>
#include <utility>
#include <vector>

#include "app/runner/python/tensor_type.h"

namespace headway::runner::python {

namespace {

using devices::OpKind;
using nn::Variable;

// Parses a reduction's axis: None for all, else an int. False with an exception set.
bool axis_from(PyObject* object, bool& all, int& axis) {
    all = object == nullptr || object == Py_None;
    if (!all) {
        if (PySequence_Check(object) != 0) {
            PyErr_SetString(PyExc_NotImplementedError,
                            "Headway's tensors are reduced over one dimension, given as an int, or over all");
            return false;
        }
        axis = static_cast<int>(PyLong_AsLong(object));
        if (axis == -1 && PyErr_Occurred() != nullptr) {
            return false;
        }
    }
    return true;
}

enum class Reduction { sum, mean, max };

template <Reduction kReduction>
PyObject* reduce(PyObject* self, PyObject* arguments, PyObject* keywords) {
    static const char* names[] = {"axis", "keepdims", nullptr};
    PyObject* axis_object = nullptr;
    int keep = 0;
    bool all = true;
    int axis = 0;
    if (PyArg_ParseTupleAndKeywords(arguments, keywords, "|Op", const_cast<char**>(names), &axis_object, &keep) == 0 ||
        !axis_from(axis_object, all, axis) || frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&] {
        const Variable& v = operand(as_tensor(self));
        if constexpr (kReduction == Reduction::sum) {
            return wrap_like(as_tensor(self), all ? nn::sum(v) : nn::sum(v, axis, keep != 0));
        } else if constexpr (kReduction == Reduction::mean) {
            return wrap_like(as_tensor(self), all ? nn::mean(v) : nn::mean(v, axis, keep != 0));
        } else {
            return wrap_like(as_tensor(self), all ? nn::max(v) : nn::max(v, axis, keep != 0));
        }
    });
}

template <OpKind kKind>
PyObject* unary(PyObject* self, PyObject*) {
    if (frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&] { return wrap_like(as_tensor(self), nn::unary(kKind, operand(as_tensor(self)))); });
}

PyObject* square(PyObject* self, PyObject*) {
    if (frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&] { return wrap_like(as_tensor(self), nn::square(operand(as_tensor(self)))); });
}

PyObject* copy(PyObject* self, PyObject*) {
    if (frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&] { return wrap_same(as_tensor(self), nn::copy(readable(as_tensor(self)))); });
}

PyObject* reshape(PyObject* self, PyObject* arguments) {
    devices::Shape shape;
    PyObject* only = PyTuple_GET_SIZE(arguments) == 1 ? PyTuple_GET_ITEM(arguments, 0) : arguments;
    if (frontend() == nullptr || !shape_from(only, shape)) {
        return nullptr;
    }
    return guarded([&] { return wrap_same(as_tensor(self), nn::reshape(readable(as_tensor(self)), shape)); });
}

PyObject* transpose(PyObject* self, PyObject* arguments) {
    int a = 0;
    int b = 1;
    int view = 0;  // the result is a view in the framework, so writes to either side are refused
    if (PyArg_ParseTuple(arguments, "|iip", &a, &b, &view) == 0 || frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&] {
        PyTensor* tensor = as_tensor(self);
        Variable result = nn::transpose(readable(tensor), a, b);
        if (view != 0) {
            state().copied_rows.add(result.value().buffer_id(), tensor->held.value().buffer_id());
        }
        return wrap_same(tensor, std::move(result));
    });
}

PyObject* matmul(PyObject* self, PyObject* arguments, PyObject* keywords) {
    static const char* names[] = {"other", "transpose_a", "transpose_b", nullptr};
    PyObject* other = nullptr;
    int ta = 0;
    int tb = 0;
    if (PyArg_ParseTupleAndKeywords(arguments, keywords, "O!|pp", const_cast<char**>(names), state().tensor_type,
                                    &other, &ta, &tb) == 0 ||
        frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&] {
        return wrap_like(as_tensor(self), nn::matmul(operand(as_tensor(self)), operand(as_tensor(other)),
                                                     ta != 0 ? nn::Side::transposed : nn::Side::normal,
                                                     tb != 0 ? nn::Side::transposed : nn::Side::normal));
    });
}

// self += scale · other, in one op, as optimisers issue it.
PyObject* add_scaled_(PyObject* self, PyObject* arguments) {
    PyObject* other = nullptr;
    float scale = 1;
    if (PyArg_ParseTuple(arguments, "O!f", state().tensor_type, &other, &scale) == 0 || frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&] {
        nn::add_scaled_in_place(target(as_tensor(self)), operand(as_tensor(other)), scale);
        written(as_tensor(self));
        Py_INCREF(self);
        return self;
    });
}

// Moves a tensor to a device by number: issues a copy and returns at once, or returns a tensor with the same values if
// they are there already. Other arguments as in Tensor(): the place, and whether each op on it is waited for.
PyObject* to_device(PyObject* self, PyObject* arguments) {
    int device = 0;
    PyObject* place = Py_None;
    int waits = 0;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "i|Op", &device, &place, &waits) == 0) {
        return nullptr;
    }
    if (device < 0 || device >= runtime->lanes.devices()) {
        PyErr_SetString(PyExc_ValueError, "the run has no device of this number");
        return nullptr;
    }
    return guarded([&] {
        nn::Variable there = nn::to_device(readable(as_tensor(self)), static_cast<core::DeviceId>(device));
        PyObject* object = wrap(Py_TYPE(self), std::move(there), place == Py_None ? nullptr : place, waits != 0,
                                as_tensor(self)->numbers);
        if (object != nullptr) {
            as_tensor(self)->seen_elsewhere = as_tensor(object)->seen_elsewhere = true;  // if no copy was needed
        }
        return object;
    });
}

// Overwrites another tensor of the same shape, on any device.
PyObject* copy_into(PyObject* self, PyObject* arguments) {
    PyObject* to = nullptr;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "O!", state().tensor_type, &to) == 0) {
        return nullptr;
    }
    return guarded([&] {
        runtime->copy_into(target(as_tensor(to)).value(), operand(as_tensor(self)).value());
        written(as_tensor(to));
        Py_INCREF(to);
        return to;
    });
}

trace::WaitKind kind_from(const char* kind) {
    return std::strcmp(kind, "print") == 0  ? trace::WaitKind::print
           : std::strcmp(kind, "item") == 0 ? trace::WaitKind::item
           : std::strcmp(kind, "copy") == 0 ? trace::WaitKind::copy
           : std::strcmp(kind, "bool") == 0 ? trace::WaitKind::boolean
                                            : trace::WaitKind::numpy;
}

PyObject* wait_to_read(PyObject* self, PyObject* arguments) {
    const char* name = "wait_to_read";
    const char* kind = nullptr;
    if (PyArg_ParseTuple(arguments, "|ss", &name, &kind) == 0) {
        return nullptr;
    }
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || !outside_gil([&] {
            const runtime::Tensor& value = as_tensor(self)->held.value();
            if (kind != nullptr && runtime->settings.copies_in_stream) {
                runtime->waits.in_stream(value, kind_from(kind), name);
                return;
            }
            runtime->waits.to_read(value, kind != nullptr ? kind_from(kind) : trace::WaitKind::wait_to_read, name);
        })) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

// The values as float32 bytes in the machine's byte order. A blocker: numpy(), print and others use it.
PyObject* to_bytes(PyObject* self, PyObject* arguments) {
    const char* kind = "numpy";
    const char* name = nullptr;
    if (PyArg_ParseTuple(arguments, "|sz", &kind, &name) == 0) {
        return nullptr;
    }
    runtime::Runtime* runtime = frontend();
    std::vector<float> values;
    if (runtime == nullptr || !can_be_read(as_tensor(self)) ||
        !outside_gil([&] { values = read_values(*as_tensor(self), kind_from(kind), name != nullptr ? name : kind); })) {
        return nullptr;
    }
    return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(values.data()),
                                     static_cast<Py_ssize_t>(values.size() * sizeof(float)));
}

PyObject* item(PyObject* self, PyObject*) {
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr) {
        return nullptr;
    }
    float value = 0;
    if (!can_be_read(as_tensor(self))) {
        return nullptr;
    }
    if (as_tensor(self)->held.value().elements() != 1) {
        PyErr_Format(PyExc_ValueError, "item(): a tensor with %lld elements is not one number",
                     static_cast<long long>(as_tensor(self)->held.value().elements()));
        return nullptr;
    }
    if (!outside_gil([&] { value = read_values(*as_tensor(self), trace::WaitKind::item, "item")[0]; })) {
        return nullptr;
    }
    switch (as_tensor(self)->numbers) {
        case Numbers::integer:
            return PyLong_FromDouble(static_cast<double>(value));
        case Numbers::boolean:
            return PyBool_FromLong(value != 0 ? 1 : 0);
        case Numbers::real:
            break;
    }
    return PyFloat_FromDouble(static_cast<double>(value));
}

PyObject* backward(PyObject* self, PyObject* arguments, PyObject* keywords) {
    static const char* names[] = {"head", "retain_graph", nullptr};
    PyObject* head = Py_None;
    int keep = 0;
    if (PyArg_ParseTupleAndKeywords(arguments, keywords, "|Op", const_cast<char**>(names), &head, &keep) == 0 ||
        frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        nn::BackwardOptions options;
        options.keep_graph = keep != 0;
        if (head != Py_None) {
            if (!is_tensor(head)) {
                PyErr_SetString(PyExc_TypeError, "backward(): the initial gradient must be a tensor");
                return nullptr;
            }
            options.head = operand(as_tensor(head)).value();
        }
        nn::backward(operand(as_tensor(self)), std::move(options));
        Py_RETURN_NONE;
    });
}

PyObject* require_gradient(PyObject* self, PyObject* arguments) {
    int accumulate = 0;
    if (PyArg_ParseTuple(arguments, "|p", &accumulate) == 0 || frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&] {
        operand(as_tensor(self))
            .require_gradient(accumulate != 0 ? nn::GradientMode::accumulate : nn::GradientMode::overwrite);
        Py_INCREF(self);
        return self;
    });
}

PyObject* drop_gradient(PyObject* self, PyObject*) {
    if (frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        if (as_tensor(self)->held.tracked()) {
            as_tensor(self)->held.drop_gradient();
        }
        Py_RETURN_NONE;
    });
}

PyObject* detach(PyObject* self, PyObject*) {
    return guarded([&] { return wrap_same(as_tensor(self), readable(as_tensor(self)).detached()); });
}

PyObject* get_shape(PyObject* self, void*) {
    return tuple_from(as_tensor(self)->held.shape());
}
PyObject* get_ndim(PyObject* self, void*) {
    return PyLong_FromLong(as_tensor(self)->held.shape().rank);
}
PyObject* get_size(PyObject* self, void*) {
    return PyLong_FromLongLong(as_tensor(self)->held.value().elements());
}
PyObject* get_place(PyObject* self, void*) {
    PyObject* place = as_tensor(self)->place != nullptr ? as_tensor(self)->place : Py_None;
    Py_INCREF(place);
    return place;
}
PyObject* get_waits(PyObject* self, void*) {
    return PyBool_FromLong(as_tensor(self)->waits ? 1 : 0);
}
int set_waits(PyObject* self, PyObject* value, void*) {
    const int waits = value != nullptr ? PyObject_IsTrue(value) : -1;
    if (waits >= 0) {
        as_tensor(self)->waits = waits != 0;
    }
    return waits >= 0 ? 0 : -1;
}
constexpr const char* kNumbers[] = {"real", "integer", "boolean"};
PyObject* get_numbers(PyObject* self, void*) {
    return PyUnicode_FromString(kNumbers[static_cast<std::size_t>(as_tensor(self)->numbers)]);
}
int set_numbers(PyObject* self, PyObject* value, void*) {
    for (std::size_t i = 0; value != nullptr && PyUnicode_Check(value) && i < std::size(kNumbers); ++i) {
        if (PyUnicode_CompareWithASCIIString(value, kNumbers[i]) == 0) {
            as_tensor(self)->numbers = static_cast<Numbers>(i);
            return 0;
        }
    }
    PyErr_SetString(PyExc_ValueError, "numbers are real, integer or boolean");
    return -1;
}
PyObject* get_tracked(PyObject* self, void*) {
    return PyBool_FromLong(as_tensor(self)->held.tracked() ? 1 : 0);
}
PyObject* get_leaf(PyObject* self, void*) {
    return PyBool_FromLong(as_tensor(self)->held.is_leaf() ? 1 : 0);
}
PyObject* get_gradient(PyObject* self, void*) {
    return guarded([&]() -> PyObject* {
        if (!as_tensor(self)->held.tracked() || !as_tensor(self)->held.gradient().defined()) {
            Py_RETURN_NONE;
        }
        PyObject* object = wrap_like(as_tensor(self), Variable(as_tensor(self)->held.gradient()));
        if (object != nullptr) {
            as_tensor(object)->seen_elsewhere = true;
        }
        return object;
    });
}
PyObject* get_device_number(PyObject* self, void*) {
    return PyLong_FromLong(as_tensor(self)->held.value().device());
}
PyObject* get_buffer_id(PyObject* self, void*) {
    return PyLong_FromUnsignedLong(as_tensor(self)->held.value().buffer_id());
}

template <class Function>
PyCFunction method(Function function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}
constexpr int kKeywords = METH_VARARGS | METH_KEYWORDS;

// Adds a method for each op of one tensor, except neg, which is the operator -x, and copy, which has its own.
std::vector<PyMethodDef> with_unary_ops(std::vector<PyMethodDef> methods) {
    const auto add = [&]<std::size_t kRow>() {
        constexpr const devices::OpRow& kOp = devices::kOps[kRow];
        if constexpr (kOp.arity == devices::Arity::one && kOp.kind != OpKind::neg && kOp.kind != OpKind::copy) {
            methods.push_back({kOp.name, unary<kOp.kind>, METH_NOARGS, kOp.text});
        }
    };
    [&]<std::size_t... kRow>(std::index_sequence<kRow...>) {
        (add.template operator()<kRow>(), ...);
    }
    (std::make_index_sequence<devices::kOpKinds>());
    methods.push_back({nullptr, nullptr, 0, nullptr});
    return methods;
}

}  // namespace

std::vector<PyMethodDef> tensor_methods = with_unary_ops({
    {"sum", method(reduce<Reduction::sum>), kKeywords, "Over all elements, or one axis."},
    {"mean", method(reduce<Reduction::mean>), kKeywords, "Over all elements, or one axis."},
    {"max", method(reduce<Reduction::max>), kKeywords, "Over all elements, or one axis."},
    {"square", square, METH_NOARGS, "Each element times itself."},
    {"copy", copy, METH_NOARGS, "A new tensor with a copy of the values."},
    {"reshape", reshape, METH_VARARGS, "The same values under another shape; one side may be -1."},
    {"transpose", transpose, METH_VARARGS, "With two axes exchanged."},
    {"matmul", method(matmul), kKeywords, "The matrix product."},
    {"add_scaled_", add_scaled_, METH_VARARGS, "In place: self + scale * other."},
    {"to_device", to_device, METH_VARARGS, "to_device(number[, place, waits]): the same values on that device."},
    {"copy_into", copy_into, METH_VARARGS, "copy_into(other): overwrites another tensor with these values."},
    {"wait_to_read", wait_to_read, METH_VARARGS, "Barrier for this tensor alone."},
    {"to_bytes", to_bytes, METH_VARARGS, "Waits; the values as float32 bytes."},
    {"item", item, METH_NOARGS, "Waits; the one value as a float."},
    {"backward", method(backward), kKeywords, "Issues the gradients of what this was computed from."},
    {"require_gradient", require_gradient, METH_VARARGS, "Makes this a leaf: backward() stores its gradient."},
    {"drop_gradient", drop_gradient, METH_NOARGS, "Releases the gradient."},
    {"detach", detach, METH_NOARGS, "The same values without gradient history."},
});

PyGetSetDef tensor_attributes[] = {
    {"shape", get_shape, nullptr, "Known at once: the frontend infers it.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of dimensions.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {"place", get_place, nullptr, "The dialect's device.", nullptr},
    {"waits", get_waits, set_waits, "Whether each op on it is waited for.", nullptr},
    {"numbers", get_numbers, set_numbers, "What the values stand for: real, integer or boolean.", nullptr},
    {"tracked", get_tracked, nullptr, "Whether gradients flow into it.", nullptr},
    {"leaf", get_leaf, nullptr, "Whether it keeps a gradient.", nullptr},
    {"gradient", get_gradient, nullptr, "The gradient from backward(), or None.", nullptr},
    {"device_number", get_device_number, nullptr, "Number of the device that holds the values.", nullptr},
    {"buffer_id", get_buffer_id, nullptr, "The storage that it shares with its views.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace headway::runner::python
