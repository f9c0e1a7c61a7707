#include "app/runner/python/tensor_type.h"

#include <new>

#include "engine/core/clock.h"

namespace headway::runner::python {

State& state() {
    static State the_state;
    return the_state;
}

PyObject* raise(const core::Error& error) {
    State& s = state();
    if (error.kind == core::ErrorKind::stopped) {
        if (s.stop_raised_ns == 0) {
            s.stop_raised_ns = core::monotonic_ns();
        }
        s.stop_wanted = false;
        PyErr_SetString(s.stop, "stopped");
        return nullptr;
    }
    s.last_error = error;
    PyErr_SetString(error.kind == core::ErrorKind::out_of_memory ? s.out_of_memory : s.error, error.message.c_str());
    return nullptr;
}

runtime::Runtime* frontend() {
    State& s = state();
    if (s.runtime == nullptr) {
        PyErr_SetString(s.error, "no run is in progress");
        return nullptr;
    }
    if (PyThread_get_thread_ident() != s.frontend_thread || s.outside) [[unlikely]] {
        PyErr_SetString(s.error, "the frontend is one thread: ops cannot be issued from a second one");
        return nullptr;
    }
    if (!s.orphans.empty()) [[unlikely]] {
        s.orphans.clear();
    }
    return s.runtime;
}

namespace {

core::Error stale_rows() {
    return {
        core::ErrorKind::failed,
        "the tensor that these rows were taken from has been written since, and Headway's rows are copies, not views: "
        "take them again, as in r = x[1:3]"};
}

core::BufferId buffer_of(const PyTensor* tensor) {
    return tensor->held.value().buffer_id();
}

void expect_real(const PyTensor* tensor) {
    if (tensor->numbers != Numbers::real) {
        throw runtime::ProgramError(
            {core::ErrorKind::failed, std::string("Headway computes with float32 tensors only, and this one is of ") +
                                          (tensor->numbers == Numbers::boolean ? "booleans" : "integers")});
    }
}

}  // namespace

nn::Variable& readable(PyTensor* tensor) {
    if (tensor->copied_rows && state().copied_rows.is_stale(buffer_of(tensor))) [[unlikely]] {
        throw runtime::ProgramError(stale_rows());
    }
    return tensor->held;
}

nn::Variable& operand(PyTensor* tensor) {
    expect_real(tensor);
    return readable(tensor);
}

nn::Variable& target(PyTensor* tensor, bool temporary) {
    expect_real(tensor);
    if (tensor->copied_rows && !temporary && state().copied_rows.is_copy(buffer_of(tensor))) [[unlikely]] {
        throw runtime::ProgramError({core::ErrorKind::failed,
                                     "these rows are a copy, not a view: writing to them would not change the tensor "
                                     "that they were taken from; "
                                     "write to its rows, as in x[1:3] += 5"});
    }
    return tensor->held;
}

void written(const PyTensor* tensor) {
    state().copied_rows.written(buffer_of(tensor));
}

bool can_be_read(const PyTensor* tensor) {
    if (tensor->copied_rows && state().copied_rows.is_stale(buffer_of(tensor))) {
        raise(stale_rows());
        return false;
    }
    return true;
}

PyObject* wrap(PyTypeObject* type, nn::Variable variable, PyObject* place, bool waits, Numbers numbers) {
    PyObject* object = type->tp_alloc(type, 0);
    if (object == nullptr) {
        return nullptr;
    }
    PyTensor* tensor = as_tensor(object);
    new (&tensor->held) nn::Variable(std::move(variable));
    Py_XINCREF(place);
    tensor->place = place;
    tensor->waits = waits;
    tensor->numbers = numbers;
    tensor->copied_rows = state().copied_rows.hold(buffer_of(tensor));
    tensor->seen_elsewhere = false;
    if (waits) {
        runtime::Runtime& runtime = *state().runtime;
        const bool done = outside_gil([&] {
            runtime.waits.to_read(tensor->held.value(), trace::WaitKind::op_barrier, kFrameworkWait);
        });
        if (!done) {
            Py_DECREF(object);
            return nullptr;
        }
    }
    return object;
}

PyObject* wrap_same(PyTensor* like, nn::Variable variable) {
    const bool shared = variable.value().buffer_id() == buffer_of(like);
    PyObject* object = wrap_like(like, std::move(variable), like->numbers);
    if (shared && object != nullptr) {
        like->seen_elsewhere = as_tensor(object)->seen_elsewhere = true;
    }
    return object;
}

std::vector<float> read_values(const PyTensor& tensor, trace::WaitKind kind, const char* name) {
    runtime::Runtime& runtime = *state().runtime;
    const runtime::Tensor& value = tensor.held.value();
    const bool in_stream =
        runtime.settings.copies_in_stream && !tensor.waits && runtime.lanes.device(value.device()).info().kind != "cpu";
    return in_stream ? runtime.waits.read_in_stream(value, kind, name) : runtime.waits.to_host(value, kind, name);
}

bool shape_from(PyObject* object, devices::Shape& shape) {
    shape = devices::Shape();
    if (PyIndex_Check(object)) {
        const Py_ssize_t n = PyNumber_AsSsize_t(object, PyExc_OverflowError);
        if (n == -1 && PyErr_Occurred() != nullptr) {
            return false;
        }
        shape.rank = 1;
        shape[0] = n;
        return true;
    }
    PyObject* items = PySequence_Fast(object, "a shape is an int or a sequence of ints");
    if (items == nullptr) {
        return false;
    }
    const Py_ssize_t rank = PySequence_Fast_GET_SIZE(items);
    bool good = true;
    if (rank > devices::kMaxRank) {
        PyErr_Format(state().error, "a tensor has at most %d dimensions, not %zd", devices::kMaxRank, rank);
        good = false;
    }
    for (Py_ssize_t i = 0; good && i < rank; ++i) {
        const Py_ssize_t n = PyNumber_AsSsize_t(PySequence_Fast_GET_ITEM(items, i), PyExc_OverflowError);
        good = n != -1 || PyErr_Occurred() == nullptr;
        shape[shape.rank++] = n;
    }
    Py_DECREF(items);
    return good;
}

PyObject* tuple_from(const devices::Shape& shape) {
    PyObject* tuple = PyTuple_New(shape.rank);
    for (int i = 0; tuple != nullptr && i < shape.rank; ++i) {
        PyTuple_SET_ITEM(tuple, i, PyLong_FromLongLong(shape[i]));
    }
    return tuple;
}

namespace {

void tensor_dealloc(PyObject* object) {
    PyTensor* tensor = as_tensor(object);
    State& s = state();
    if (s.runtime != nullptr && !tensor->seen_elsewhere) {
        s.copied_rows.gone(buffer_of(tensor));
    }
    if (tensor->copied_rows && s.runtime != nullptr) {
        s.copied_rows.drop(buffer_of(tensor));
    }
    if (s.runtime == nullptr) {
        new nn::Variable(std::move(tensor->held));  // leaked on purpose: the run is over and its memory already freed
    } else if (s.outside || PyThread_get_thread_ident() != s.frontend_thread) [[unlikely]] {
        s.orphans.push_back(std::move(tensor->held));
    }
    tensor->held.~Variable();
    Py_XDECREF(tensor->place);
    PyTypeObject* type = Py_TYPE(object);
    type->tp_free(object);
    if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0) {
        Py_DECREF(type);
    }
}

// Tensor(other): the same values as an object of another tensor type; dialects create their tensors with it.
PyObject* tensor_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
    static const char* names[] = {"source", "place", "waits", nullptr};
    PyObject* source = nullptr;
    PyObject* place = nullptr;
    int waits = 0;
    if (PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Op", const_cast<char**>(names), &source, &place, &waits) ==
        0) {
        return nullptr;
    }
    if (!is_tensor(source)) {
        PyErr_Format(PyExc_TypeError, "a tensor is made from another tensor, not from %s", Py_TYPE(source)->tp_name);
        return nullptr;
    }
    return guarded([&] {
        PyObject* object = wrap(type, readable(as_tensor(source)), place == Py_None ? nullptr : place, waits != 0,
                                as_tensor(source)->numbers);
        if (object != nullptr) {
            as_tensor(source)->seen_elsewhere = as_tensor(object)->seen_elsewhere = true;
        }
        return object;
    });
}

}  // namespace

bool add_tensor_type(PyObject* module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, const_cast<char*>("A float32 tensor whose values may still be on their way.")},
        {Py_tp_dealloc, reinterpret_cast<void*>(tensor_dealloc)},
        {Py_tp_new, reinterpret_cast<void*>(tensor_new)},
        {Py_tp_methods, tensor_methods.data()},
        {Py_tp_getset, tensor_attributes},
        {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
        {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
        {Py_nb_add, reinterpret_cast<void*>(number_methods.nb_add)},
        {Py_nb_subtract, reinterpret_cast<void*>(number_methods.nb_subtract)},
        {Py_nb_multiply, reinterpret_cast<void*>(number_methods.nb_multiply)},
        {Py_nb_true_divide, reinterpret_cast<void*>(number_methods.nb_true_divide)},
        {Py_nb_power, reinterpret_cast<void*>(number_methods.nb_power)},
        {Py_nb_negative, reinterpret_cast<void*>(number_methods.nb_negative)},
        {Py_nb_matrix_multiply, reinterpret_cast<void*>(number_methods.nb_matrix_multiply)},
        {Py_nb_inplace_add, reinterpret_cast<void*>(number_methods.nb_inplace_add)},
        {Py_nb_inplace_subtract, reinterpret_cast<void*>(number_methods.nb_inplace_subtract)},
        {Py_nb_inplace_multiply, reinterpret_cast<void*>(number_methods.nb_inplace_multiply)},
        {Py_nb_bool, reinterpret_cast<void*>(number_methods.nb_bool)},
        {Py_nb_float, reinterpret_cast<void*>(number_methods.nb_float)},
        {Py_nb_int, reinterpret_cast<void*>(number_methods.nb_int)},
        {Py_mp_length, reinterpret_cast<void*>(mapping_methods.mp_length)},
        {Py_mp_subscript, reinterpret_cast<void*>(mapping_methods.mp_subscript)},
        {Py_mp_ass_subscript, reinterpret_cast<void*>(mapping_methods.mp_ass_subscript)},
        {Py_sq_length, reinterpret_cast<void*>(sequence_methods.sq_length)},
        {Py_sq_item, reinterpret_cast<void*>(sequence_methods.sq_item)},
        {0, nullptr},
    };
    static PyType_Spec spec = {"_headway.Tensor", sizeof(PyTensor), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    PyObject* type = PyType_FromSpec(&spec);
    if (type == nullptr) {
        return false;
    }
    state().tensor_type = reinterpret_cast<PyTypeObject*>(type);
    return PyModule_AddObject(module, "Tensor", type) == 0;
}

}  // namespace headway::runner::python
