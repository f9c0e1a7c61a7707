#include "app/runner/python/module.h"

#include <array>
#include <utility>

#include "app/runner/python/state.h"

namespace headway::runner::python {

namespace {

PyObject* listener = nullptr;  // called after each operator

PyObject* report_operator(const char* name, PyObject* result, PyObject* a, PyObject* b) {
    if (result == nullptr || result == Py_NotImplemented) {
        return result;
    }
    PyObject* done = PyObject_CallFunction(listener, b != nullptr ? "sOOO" : "sOO", name, result, a, b);
    if (done == nullptr) {
        Py_DECREF(result);
        return nullptr;
    }
    Py_DECREF(done);
    return result;
}

template <class Slot>
struct CountedOperator {
    const char* name;
    Slot PyNumberMethods::*slot;
};

constexpr std::array<CountedOperator<binaryfunc>, 25> kBinary{{
    {"add", &PyNumberMethods::nb_add},
    {"subtract", &PyNumberMethods::nb_subtract},
    {"multiply", &PyNumberMethods::nb_multiply},
    {"remainder", &PyNumberMethods::nb_remainder},
    {"divmod", &PyNumberMethods::nb_divmod},
    {"lshift", &PyNumberMethods::nb_lshift},
    {"rshift", &PyNumberMethods::nb_rshift},
    {"and", &PyNumberMethods::nb_and},
    {"xor", &PyNumberMethods::nb_xor},
    {"or", &PyNumberMethods::nb_or},
    {"floor_divide", &PyNumberMethods::nb_floor_divide},
    {"true_divide", &PyNumberMethods::nb_true_divide},
    {"matmul", &PyNumberMethods::nb_matrix_multiply},
    {"add", &PyNumberMethods::nb_inplace_add},
    {"subtract", &PyNumberMethods::nb_inplace_subtract},
    {"multiply", &PyNumberMethods::nb_inplace_multiply},
    {"remainder", &PyNumberMethods::nb_inplace_remainder},
    {"lshift", &PyNumberMethods::nb_inplace_lshift},
    {"rshift", &PyNumberMethods::nb_inplace_rshift},
    {"and", &PyNumberMethods::nb_inplace_and},
    {"xor", &PyNumberMethods::nb_inplace_xor},
    {"or", &PyNumberMethods::nb_inplace_or},
    {"floor_divide", &PyNumberMethods::nb_inplace_floor_divide},
    {"true_divide", &PyNumberMethods::nb_inplace_true_divide},
    {"matmul", &PyNumberMethods::nb_inplace_matrix_multiply},
}};
constexpr std::array<CountedOperator<ternaryfunc>, 2> kPowers{{
    {"power", &PyNumberMethods::nb_power},
    {"power", &PyNumberMethods::nb_inplace_power},
}};
constexpr std::array<CountedOperator<unaryfunc>, 4> kUnary{{
    {"negative", &PyNumberMethods::nb_negative},
    {"positive", &PyNumberMethods::nb_positive},
    {"absolute", &PyNumberMethods::nb_absolute},
    {"invert", &PyNumberMethods::nb_invert},
}};

// The type's original slots.
std::array<binaryfunc, kBinary.size()> original_binary{};
std::array<ternaryfunc, kPowers.size()> original_powers{};
std::array<unaryfunc, kUnary.size()> original_unary{};
richcmpfunc original_comparison = nullptr;

template <std::size_t I>
PyObject* counted_binary(PyObject* a, PyObject* b) {
    return report_operator(kBinary[I].name, original_binary[I](a, b), a, b);
}
template <std::size_t I>
PyObject* counted_power(PyObject* a, PyObject* b, PyObject* modulo) {
    return report_operator(kPowers[I].name, original_powers[I](a, b, modulo), a, b);
}
template <std::size_t I>
PyObject* counted_unary(PyObject* a) {
    return report_operator(kUnary[I].name, original_unary[I](a), a, nullptr);
}
PyObject* counted_comparison(PyObject* a, PyObject* b, int op) {
    return report_operator("compare", original_comparison(a, b, op), a, b);
}

template <class Slot>
void take(PyNumberMethods& methods, Slot PyNumberMethods::*slot, Slot& before, Slot now) {
    if (methods.*slot != nullptr) {
        before = std::exchange(methods.*slot, now);
    }
}

template <std::size_t... kB, std::size_t... kP, std::size_t... kU>
void take_all(PyNumberMethods& methods, std::index_sequence<kB...>, std::index_sequence<kP...>,
              std::index_sequence<kU...>) {
    (take(methods, kBinary[kB].slot, original_binary[kB], &counted_binary<kB>), ...);
    (take(methods, kPowers[kP].slot, original_powers[kP], &counted_power<kP>), ...);
    (take(methods, kUnary[kU].slot, original_unary[kU], &counted_unary<kU>), ...);
}

// count_operators(type, after): from now on after(name, result, *operands) is called after each operator ("matmul")
// that the type's own code has computed. An exception in `after` becomes the operator's. Call once per process.
PyObject* count_operators(PyObject*, PyObject* arguments) {
    PyTypeObject* type = nullptr;
    PyObject* function = nullptr;
    if (PyArg_ParseTuple(arguments, "O!O", &PyType_Type, &type, &function) == 0) {
        return nullptr;
    }
    if (listener != nullptr || type->tp_as_number == nullptr) {
        PyErr_SetString(PyExc_TypeError, "the operators of this type cannot be counted");
        return nullptr;
    }
    Py_INCREF(function);
    listener = function;
    take_all(*type->tp_as_number, std::make_index_sequence<kBinary.size()>(),
             std::make_index_sequence<kPowers.size()>(), std::make_index_sequence<kUnary.size()>());
    if (type->tp_richcompare != nullptr) {
        original_comparison = std::exchange(type->tp_richcompare, &counted_comparison);
    }
    Py_RETURN_NONE;
}

PyObject* virtual_time(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    return runtime != nullptr ? PyBool_FromLong(runtime->lanes.device(0).virtual_time() ? 1 : 0) : nullptr;
}

PyObject* clock_ns(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    const auto lock = run_lock();
    return runtime != nullptr ? PyLong_FromUnsignedLongLong(runtime->recorder.now()) : nullptr;
}

// Advances virtual time by the duration of the program's own work, recorded under `name`.
PyObject* spend(PyObject*, PyObject* arguments) {
    double ns = 0;
    const char* name = "";
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "d|s", &ns, &name) == 0 ||
        !outside_gil([&] { runtime->events.spend(ns, name); })) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

PyObject* host_costs(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr) {
        return nullptr;
    }
    const auto& host = runtime->settings.host;
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d}", "print_ns", host.print_ns, "call_ns", host.numpy_call_ns,
                         "flops_per_s", host.numpy_flops_per_s, "bytes_per_s", host.numpy_bytes_per_s, "random_per_s",
                         host.numpy_random_per_s);
}

// set_on_type(type, name, value): sets an attribute of a type written in C, including the operators derived from it.
PyObject* set_on_type(PyObject*, PyObject* arguments) {
    PyTypeObject* type = nullptr;
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    if (PyArg_ParseTuple(arguments, "O!UO", &PyType_Type, &type, &name, &value) == 0) {
        return nullptr;
    }
#ifdef Py_TPFLAGS_IMMUTABLETYPE
    const unsigned long locked = type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE;
    type->tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE;
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    const int failed = PyType_Type.tp_setattro(reinterpret_cast<PyObject*>(type), name, value);
    Py_DECREF(name);
    type->tp_flags |= locked;
#else
    const int failed = -1;
    PyErr_SetString(PyExc_NotImplementedError, "attributes of built-in types cannot be set in this version of Python");
#endif
    if (failed != 0) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

}  // namespace

PyMethodDef simulated_host_functions[] = {
    {"virtual_time", virtual_time, METH_NOARGS, "Whether the run's clock is simulated."},
    {"clock_ns", clock_ns, METH_NOARGS, "Virtual time: nanoseconds from the start of the run."},
    {"spend", spend, METH_VARARGS, "spend(ns[, name]): virtual time for the program's own work."},
    {"host_costs", host_costs, METH_NOARGS, "The costs of print and NumPy in virtual time."},
    {"set_on_type", set_on_type, METH_VARARGS, "set_on_type(type, name, value), also for immutable types."},
    {"count_operators", count_operators, METH_VARARGS,
     "count_operators(type, after): calls after(name, result, *operands) after each."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headway::runner::python
