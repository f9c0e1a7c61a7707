#include <memory>
#include <vector>

#include "app/runner/python/module.h"
#include "app/runner/python/target.h"

namespace headway::runner::python {

namespace {

constexpr const char* kGraphCapsule = "_headway.graph";

// The tensors of a Python list. False with an exception set.
bool tensors_from(PyObject* list, std::vector<runtime::Tensor>& tensors) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
        PyObject* item = PyList_GET_ITEM(list, i);
        if (!is_tensor(item)) {
            PyErr_Format(PyExc_TypeError, "expected a tensor, not %s", Py_TYPE(item)->tp_name);
            return false;
        }
        if (!can_be_read(as_tensor(item))) {
            return false;
        }
        if (as_tensor(item)->numbers != Numbers::real) {
            PyErr_SetString(PyExc_NotImplementedError,
                            "Headway's traced functions take and give float32 tensors only, no integers or booleans");
            return false;
        }
        tensors.push_back(as_tensor(item)->held.value());
    }
    return true;
}

PyObject* list_from(const Target& target, const std::vector<runtime::Tensor>& tensors) {
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(tensors.size()));
    for (std::size_t i = 0; list != nullptr && i < tensors.size(); ++i) {
        PyObject* item = made(target, tensors[i]);
        if (item == nullptr) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), item);
    }
    return list;
}

PyObject* trace_begin(PyObject*, PyObject* arguments) {
    PyObject* list = nullptr;
    Target target;
    runtime::Runtime* runtime = frontend();
    std::vector<runtime::Tensor> inputs;
    if (runtime == nullptr ||
        PyArg_ParseTuple(arguments, "O!|O!O", &PyList_Type, &list, &PyType_Type, &target.type, &target.place) == 0 ||
        !good_type(target) || !tensors_from(list, inputs)) {
        return nullptr;
    }
    return guarded([&] { return list_from(target, runtime->graphs.trace_begin(inputs)); });
}

PyObject* trace_abandon(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr) {
        return nullptr;
    }
    runtime->graphs.trace_abandon();
    Py_RETURN_NONE;
}

// A graph holds tensors; after the end of the run they are already freed.
void free_graph(PyObject* capsule) {
    auto* graph = static_cast<runtime::Graph*>(PyCapsule_GetPointer(capsule, kGraphCapsule));
    State& s = state();
    if (s.runtime == nullptr) {
        new runtime::Graph(std::move(*graph));  // leaked on purpose, as in a tensor's destructor
    } else if (s.outside || PyThread_get_thread_ident() != s.frontend_thread) {
        for (auto& tensor : graph->captured) {
            s.orphans.emplace_back(std::move(tensor));
        }
    }
    delete graph;
}

PyObject* trace_end(PyObject*, PyObject* arguments) {
    const char* name = nullptr;
    PyObject* list = nullptr;
    runtime::Runtime* runtime = frontend();
    std::vector<runtime::Tensor> outputs;
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "sO!", &name, &PyList_Type, &list) == 0 ||
        !tensors_from(list, outputs)) {
        return nullptr;
    }
    return guarded([&] {
        auto graph = std::make_unique<runtime::Graph>(runtime->graphs.trace_end(name, outputs));
        PyObject* capsule = PyCapsule_New(graph.get(), kGraphCapsule, free_graph);
        if (capsule != nullptr) {
            static_cast<void>(graph.release());
        }
        return capsule;
    });
}

PyObject* run_graph(PyObject*, PyObject* arguments) {
    PyObject* capsule = nullptr;
    PyObject* list = nullptr;
    Target target;
    runtime::Runtime* runtime = frontend();
    std::vector<runtime::Tensor> inputs;
    if (runtime == nullptr ||
        PyArg_ParseTuple(arguments, "OO!|O!Op", &capsule, &PyList_Type, &list, &PyType_Type, &target.type,
                         &target.place, &target.waits) == 0 ||
        !good_type(target) || !tensors_from(list, inputs)) {
        return nullptr;
    }
    const auto* graph = static_cast<const runtime::Graph*>(PyCapsule_GetPointer(capsule, kGraphCapsule));
    if (graph == nullptr) {
        return nullptr;
    }
    return guarded([&] { return list_from(target, runtime->graphs.run(*graph, inputs)); });
}

}  // namespace

PyMethodDef traced_function_functions[] = {
    {"trace_begin", trace_begin, METH_VARARGS,
     "trace_begin(tensors[, type, place]): starts recording ops; returns placeholders."},
    {"trace_abandon", trace_abandon, METH_NOARGS, "Discards the recorded ops."},
    {"trace_end", trace_end, METH_VARARGS, "trace_end(name, tensors): the graph that computes these."},
    {"run_graph", run_graph, METH_VARARGS, "run_graph(graph, tensors[, type, place, waits]): issued as one op."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headway::runner::python
