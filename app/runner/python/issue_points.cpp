#include "app/runner/python/module.h"

#include "app/runner/python/state.h"

namespace headway::runner::python {

namespace {

using runtime::IssuedSoFar;

PyObject* tuple_of_point(const IssuedSoFar& issued, std::uint32_t lanes) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(lanes) + 1);
    for (std::uint32_t i = 0; tuple != nullptr && i <= lanes; ++i) {
        PyObject* number = PyLong_FromUnsignedLong(i == 0 ? issued.last : issued.seqs[i - 1]);
        if (number == nullptr) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), number);
    }
    return tuple;
}

// False with an exception set unless the tuple is a moment of this run.
bool read(PyObject* tuple, const runtime::Runtime& runtime, IssuedSoFar& issued) {
    const Py_ssize_t size = PyTuple_GET_SIZE(tuple);
    bool good = size >= 1 && size <= static_cast<Py_ssize_t>(runtime.lanes.count()) + 1;
    for (Py_ssize_t i = 0; good && i < size; ++i) {
        const unsigned long number = PyLong_AsUnsignedLong(PyTuple_GET_ITEM(tuple, i));
        if (PyErr_Occurred() != nullptr) {
            return false;
        }
        const auto most = i == 0 ? std::uint32_t{runtime.recorder.issued()}
                                 : runtime.lanes.submitted()[static_cast<std::size_t>(i) - 1];
        good = number <= UINT32_MAX && !core::after(static_cast<std::uint32_t>(number), most);
        (i == 0 ? issued.last : issued.seqs[static_cast<std::size_t>(i) - 1]) = static_cast<std::uint32_t>(number);
    }
    issued.end = good ? static_cast<std::uint32_t>(size - 1) : 0;
    if (!good) {
        PyErr_SetString(PyExc_ValueError, "this is not a moment of the run");
    }
    return good;
}

PyObject* issued_so_far(PyObject*, PyObject* arguments) {
    const char* name = "";
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "s", &name) == 0) {
        return nullptr;
    }
    return guarded([&] { return tuple_of_point(runtime->waits.issued_so_far(name), runtime->lanes.count()); });
}

PyObject* finished(PyObject*, PyObject* arguments) {
    PyObject* tuple = nullptr;
    IssuedSoFar issued;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "O!", &PyTuple_Type, &tuple) == 0 ||
        !read(tuple, *runtime, issued)) {
        return nullptr;
    }
    bool done = false;
    if (!outside_gil([&] { done = runtime->waits.finished(issued); })) {
        return nullptr;
    }
    return PyBool_FromLong(done ? 1 : 0);
}

PyObject* wait_until_finished(PyObject*, PyObject* arguments) {
    PyObject* tuple = nullptr;
    const char* name = "";
    IssuedSoFar issued;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "O!s", &PyTuple_Type, &tuple, &name) == 0 ||
        !read(tuple, *runtime, issued)) {
        return nullptr;
    }
    if (!outside_gil([&] { runtime->waits.until_finished(issued, trace::WaitKind::synchronize, name); })) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

}  // namespace

PyMethodDef issue_point_functions[] = {
    {"issued_so_far", issued_so_far, METH_VARARGS, "issued_so_far(name): a moment: what has been issued up to now."},
    {"finished", finished, METH_VARARGS, "finished(moment): whether all that had been issued then has finished."},
    {"wait_until_finished", wait_until_finished, METH_VARARGS, "wait_until_finished(moment, name)"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headway::runner::python
