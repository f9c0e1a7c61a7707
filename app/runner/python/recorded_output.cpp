#include "app/runner/python/module.h"

#include <algorithm>
#include <string_view>

#include "app/runner/python/state.h"

namespace headway::runner::python {

namespace {

PyObject* file_io = nullptr;  // io.FileIO. Not the base of self's type: a program may derive a type from that, too

// Of a standard stream's unbuffered file: its descriptor is 1 or 2. Written in C so that the program's own trace
// functions do not see it, and no stop comes between the writing and its record.
PyObject* write(PyObject* self, PyObject* data) {
    PyObject* written = PyObject_CallMethod(file_io, "write", "OO", self, data);
    const State& s = state();
    if (written == nullptr || !PyLong_Check(written) || s.runtime == nullptr ||
        PyThread_get_thread_ident() != s.frontend_thread) {
        return written;  // None: the stream does not block, and took nothing
    }
    PyObject* descriptor = PyObject_CallMethod(self, "fileno", nullptr);
    Py_buffer bytes;
    if (descriptor != nullptr && PyObject_GetBuffer(data, &bytes, PyBUF_SIMPLE) == 0) {
        const auto lock = run_lock();
        s.runtime->recorder.program_wrote(static_cast<int>(PyLong_AsLong(descriptor)),
                                          {static_cast<const char*>(bytes.buf),
                                           static_cast<std::size_t>(std::min(bytes.len, PyLong_AsSsize_t(written)))});
        PyBuffer_Release(&bytes);
    }
    PyErr_Clear();
    Py_XDECREF(descriptor);
    return written;
}

PyMethodDef recorded_write = {"write", write, METH_O, nullptr};

// record_writes(type): gives this subclass of io.FileIO a write() that also records what it writes.
PyObject* record_writes(PyObject*, PyObject* type) {
    if (!PyType_Check(type)) {
        PyErr_SetString(PyExc_TypeError, "record_writes() needs a type");
        return nullptr;
    }
    Py_XDECREF(file_io);
    file_io = reinterpret_cast<PyObject*>(reinterpret_cast<PyTypeObject*>(type)->tp_base);
    Py_INCREF(file_io);
    PyObject* method = PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type), &recorded_write);
    const int failed = method != nullptr ? PyObject_SetAttrString(type, "write", method) : -1;
    Py_XDECREF(method);
    if (failed != 0) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

}  // namespace

PyMethodDef recorded_output_functions[] = {
    {"record_writes", record_writes, METH_O, "record_writes(type): its write() also records what it writes."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headway::runner::python
