// Operators of the Python Tensor.
#include <cmath>

#include "app/runner/python/tensor_type.h"

namespace headway::runner::python {

namespace {

using devices::OpKind;
using nn::Variable;

// Converts a Python number (int, float, bool, NumPy scalar) to float; false without an exception if it is not a number.
bool number_from(PyObject* object, float& value) {
    if (PyFloat_Check(object)) {
        value = static_cast<float>(PyFloat_AS_DOUBLE(object));
        return true;
    }
    if (PyLong_Check(object) || (!is_tensor(object) && !PySequence_Check(object) && PyNumber_Check(object) != 0)) {
        const double v = PyFloat_AsDouble(object);
        if (v == -1.0 && PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            return false;
        }
        value = static_cast<float>(v);
        return true;
    }
    return false;
}

bool plain(const PyTensor* a) {
    return !a->held.tracked();
}

using TensorTensor = Variable (*)(const Variable&, const Variable&);
using TensorScalar = Variable (*)(const Variable&, float);

struct Operator {
    OpKind tensors, scalar, reversed;  // reversed: number ∘ tensor
    TensorTensor on_tensors;
    TensorScalar on_scalar;
    TensorScalar on_reversed;
};

constexpr Operator kAdd{OpKind::add,
                        OpKind::add_scalar,
                        OpKind::add_scalar,
                        [](const Variable& a, const Variable& b) { return nn::add(a, b); },
                        [](const Variable& a, float b) { return nn::add(a, b); },
                        [](const Variable& a, float b) { return nn::add(a, b); }};
constexpr Operator kSub{OpKind::sub,
                        OpKind::sub_scalar,
                        OpKind::rsub_scalar,
                        [](const Variable& a, const Variable& b) { return nn::sub(a, b); },
                        [](const Variable& a, float b) { return nn::sub(a, b); },
                        [](const Variable& a, float b) { return nn::sub(b, a); }};
constexpr Operator kMul{OpKind::mul,
                        OpKind::mul_scalar,
                        OpKind::mul_scalar,
                        [](const Variable& a, const Variable& b) { return nn::mul(a, b); },
                        [](const Variable& a, float b) { return nn::mul(a, b); },
                        [](const Variable& a, float b) { return nn::mul(a, b); }};
constexpr Operator kDiv{OpKind::div,
                        OpKind::div_scalar,
                        OpKind::rdiv_scalar,
                        [](const Variable& a, const Variable& b) { return nn::div(a, b); },
                        [](const Variable& a, float b) { return nn::div(a, b); },
                        [](const Variable& a, float b) { return nn::div(b, a); }};

// When no gradient is needed, the fast path issues directly to the runtime.
template <const Operator& kOperator>
PyObject* binary(PyObject* a, PyObject* b) {
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr) {
        return nullptr;
    }
    float number = 0;
    // Booleans may be multiplied with reals, as masks; the result is real.
    const auto used = [](PyTensor* tensor, bool masks) -> Variable& {
        return masks && &kOperator == &kMul && tensor->numbers == Numbers::boolean ? readable(tensor) : operand(tensor);
    };
    if (is_tensor(a) && is_tensor(b)) {
        PyTensor* x = as_tensor(a);
        PyTensor* y = as_tensor(b);
        return guarded([&] {
            const bool one_real = (x->numbers == Numbers::real) != (y->numbers == Numbers::real);
            const Variable& first = used(x, one_real);
            const Variable& second = used(y, one_real);
            if (plain(x) && plain(y)) {
                return wrap_like(x, runtime->binary(kOperator.tensors, first.value(), second.value()));
            }
            return wrap_like(x, kOperator.on_tensors(first, second));
        });
    }
    const bool left = is_tensor(a);
    if (!number_from(left ? b : a, number)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyTensor* x = as_tensor(left ? a : b);
    return guarded([&] {
        const Variable& v = operand(x);
        if (plain(x)) {
            return wrap_like(x, runtime->with_scalar(left ? kOperator.scalar : kOperator.reversed, v.value(), number));
        }
        return wrap_like(x, left ? kOperator.on_scalar(v, number) : kOperator.on_reversed(v, number));
    });
}

// In x[1:3] += 5 Python takes the rows, adds, and writes them back: no other object refers to the rows in between.
bool is_temporary(PyObject* object) {
#if PY_VERSION_HEX >= 0x030E0000
    return PyUnstable_Object_IsUniqueReferencedTemporary(object) != 0;
#else
    return Py_REFCNT(object) == 1;
#endif
}

enum class InPlace { add, sub, mul };

template <InPlace kOp>
PyObject* in_place(PyObject* a, PyObject* b) {
    if (frontend() == nullptr) {
        return nullptr;
    }
    PyTensor* x = as_tensor(a);
    float number = 0;
    const bool tensors = is_tensor(b);
    if (!tensors && !number_from(b, number)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject* result = guarded([&]() -> PyObject* {
        Variable& v = target(x, is_temporary(a));
        if constexpr (kOp == InPlace::add) {
            tensors ? nn::add_in_place(v, operand(as_tensor(b))) : nn::add_in_place(v, number);
        } else if constexpr (kOp == InPlace::sub) {
            tensors ? nn::sub_in_place(v, operand(as_tensor(b))) : nn::sub_in_place(v, number);
        } else {
            tensors ? nn::mul_in_place(v, operand(as_tensor(b))) : nn::mul_in_place(v, number);
        }
        written(x);
        Py_INCREF(a);
        return a;
    });
    return result;
}

PyObject* negative(PyObject* a) {
    if (frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&] { return wrap_like(as_tensor(a), nn::neg(operand(as_tensor(a)))); });
}

PyObject* power(PyObject* a, PyObject* b, PyObject*) {
    float exponent = 0;
    if (!is_tensor(a) || !number_from(b, exponent)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (frontend() == nullptr) {
        return nullptr;
    }
    if (exponent == 2.0f) {
        return guarded([&] { return wrap_like(as_tensor(a), nn::square(operand(as_tensor(a)))); });
    }
    if (exponent == 0.5f) {
        return guarded([&] { return wrap_like(as_tensor(a), nn::sqrt(operand(as_tensor(a)))); });
    }
    PyErr_SetString(PyExc_NotImplementedError, "Headway's tensors have the powers 2 and 0.5 only");
    return nullptr;
}

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
    if (!is_tensor(a) || !is_tensor(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (frontend() == nullptr) {
        return nullptr;
    }
    return guarded([&] { return wrap_like(as_tensor(a), nn::matmul(operand(as_tensor(a)), operand(as_tensor(b)))); });
}

// Reads the only value of a tensor; a blocker of this kind.
bool value_of(PyObject* a, trace::WaitKind kind, const char* name, float& value) {
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr) {
        return false;
    }
    const runtime::Tensor& tensor = as_tensor(a)->held.value();
    if (!can_be_read(as_tensor(a))) {
        return false;
    }
    if (tensor.elements() != 1) {
        PyErr_Format(PyExc_ValueError, "only a tensor with one element can become a Python number; this has %lld",
                     static_cast<long long>(tensor.elements()));
        return false;
    }
    return outside_gil([&] { value = read_values(*as_tensor(a), kind, name)[0]; });
}

int truth(PyObject* a) {
    float value = 0;
    return value_of(a, trace::WaitKind::boolean, "bool", value) ? (value != 0.0f ? 1 : 0) : -1;
}

PyObject* as_float(PyObject* a) {
    float value = 0;
    return value_of(a, trace::WaitKind::item, "float", value) ? PyFloat_FromDouble(static_cast<double>(value))
                                                              : nullptr;
}

PyObject* as_int(PyObject* a) {
    float value = 0;
    return value_of(a, trace::WaitKind::item, "int", value) ? PyLong_FromDouble(static_cast<double>(value)) : nullptr;
}

PyNumberMethods make_number_methods() {
    PyNumberMethods m{};
    m.nb_add = binary<kAdd>;
    m.nb_subtract = binary<kSub>;
    m.nb_multiply = binary<kMul>;
    m.nb_true_divide = binary<kDiv>;
    m.nb_power = power;
    m.nb_negative = negative;
    m.nb_matrix_multiply = matrix_multiply;
    m.nb_inplace_add = in_place<InPlace::add>;
    m.nb_inplace_subtract = in_place<InPlace::sub>;
    m.nb_inplace_multiply = in_place<InPlace::mul>;
    m.nb_bool = truth;
    m.nb_float = as_float;
    m.nb_int = as_int;
    return m;
}

}  // namespace

PyNumberMethods number_methods = make_number_methods();

// Compares element by element, giving 0 and 1; booleans in the dialects of frameworks, which have types. a ≥ b is
// computed as 1 - (b > a).
PyObject* compare(PyObject* a, PyObject* b, int op) {
    if (!is_tensor(a)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    float number = 0;
    const bool tensors = is_tensor(b);
    if (!tensors && !number_from(b, number)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (frontend() == nullptr) {
        return nullptr;
    }
    PyTensor* x = as_tensor(a);
    return guarded([&]() -> PyObject* {
        const Variable& v = readable(x);
        const Variable* other = tensors ? &readable(as_tensor(b)) : nullptr;
        const bool typed = PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(a)), "dtype") != 0;
        const auto wrap_result = [&](Variable result) {
            return wrap_like(x, std::move(result), typed ? Numbers::boolean : Numbers::real);
        };
        const auto greater = [&] { return tensors ? nn::greater(v, *other) : nn::greater(v, number); };
        // For a number v, v < b is computed as -v > -b.
        const auto less = [&] {
            return tensors ? nn::greater(*other, v) : nn::greater(nn::neg(v.detached()), -number);
        };
        const auto equal = [&] { return tensors ? nn::equal(v, *other) : nn::equal(v, number); };
        switch (op) {
            case Py_GT:
                return wrap_result(greater());
            case Py_LT:
                return wrap_result(less());
            case Py_EQ:
                return wrap_result(equal());
            case Py_NE:
                return wrap_result(nn::sub(1.0f, equal()));
            case Py_GE:
                return wrap_result(nn::sub(1.0f, less()));
            case Py_LE:
                return wrap_result(nn::sub(1.0f, greater()));
            default:
                Py_RETURN_NOTIMPLEMENTED;
        }
    });
}

}  // namespace headway::runner::python
