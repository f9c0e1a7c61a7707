#include "app/runner/python/module.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "app/runner/programs/program.h"
#include "app/runner/python/target.h"
#include "app/runner/python/tensor_type.h"
#include "engine/trace/barrier_names.h"

namespace headway::runner::python {

namespace {

using nn::Variable;

// While the result lives, new tensors are created on the target's device.
runtime::OnDevice on_device(const Target& target) {
    runtime::Runtime& runtime = *state().runtime;
    return {runtime, static_cast<core::DeviceId>(std::max(target.device, 0))};
}

PyObject* full(PyObject*, PyObject* arguments) {
    PyObject* shape_object = nullptr;
    float value = 0;
    Target target;
    devices::Shape shape;
    if (PyArg_ParseTuple(arguments, "Of|O!Opi", &shape_object, &value, &PyType_Type, &target.type, &target.place,
                         &target.waits, &target.device) == 0 ||
        frontend() == nullptr || !good_type(target) || !shape_from(shape_object, shape)) {
        return nullptr;
    }
    return guarded([&] {
        const runtime::OnDevice there = on_device(target);
        return made(target, state().runtime->full(shape, value));
    });
}

PyObject* normal(PyObject*, PyObject* arguments) {
    PyObject* shape_object = nullptr;
    float mean = 0, deviation = 1;
    Target target;
    devices::Shape shape;
    if (PyArg_ParseTuple(arguments, "O|ffO!Opi", &shape_object, &mean, &deviation, &PyType_Type, &target.type,
                         &target.place, &target.waits, &target.device) == 0 ||
        frontend() == nullptr || !good_type(target) || !shape_from(shape_object, shape)) {
        return nullptr;
    }
    return guarded([&] {
        const runtime::OnDevice there = on_device(target);
        return made(target, state().runtime->normal(shape, mean, deviation));
    });
}

PyObject* uniform(PyObject*, PyObject* arguments) {
    PyObject* shape_object = nullptr;
    float low = 0, high = 1;
    Target target;
    devices::Shape shape;
    if (PyArg_ParseTuple(arguments, "O|ffO!Opi", &shape_object, &low, &high, &PyType_Type, &target.type, &target.place,
                         &target.waits, &target.device) == 0 ||
        frontend() == nullptr || !good_type(target) || !shape_from(shape_object, shape)) {
        return nullptr;
    }
    return guarded([&] {
        const runtime::OnDevice there = on_device(target);
        // As in the frameworks, bounds in the other order give the same interval.
        return made(target, state().runtime->uniform(shape, std::min(low, high), std::max(low, high)));
    });
}

// Converts one item of a buffer to float; `format` is one of Python's struct module.
float value_at(const char* data, char format) {
    switch (format) {
        case 'f': {
            float v;
            std::memcpy(&v, data, sizeof v);
            return v;
        }
        case 'd': {
            double v;
            std::memcpy(&v, data, sizeof v);
            return static_cast<float>(v);
        }
        case 'q':
        case 'l': {
            std::int64_t v;
            std::memcpy(&v, data, sizeof v);
            return static_cast<float>(v);
        }
        case 'i': {
            std::int32_t v;
            std::memcpy(&v, data, sizeof v);
            return static_cast<float>(v);
        }
        case 'B':
        case '?':
            return static_cast<float>(static_cast<unsigned char>(*data));
        default:
            return 0;
    }
}

// from_buffer(object, type, place, waits): a tensor with a copy of the values of any object that supports Python's
// buffer protocol (NumPy arrays, array.array, bytes, memoryview).
PyObject* from_buffer(PyObject*, PyObject* arguments) {
    PyObject* source = nullptr;
    Target target;
    if (PyArg_ParseTuple(arguments, "O|O!Opi", &source, &PyType_Type, &target.type, &target.place, &target.waits,
                         &target.device) == 0 ||
        frontend() == nullptr || !good_type(target)) {
        return nullptr;
    }
    Py_buffer view;
    if (PyObject_GetBuffer(source, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
        return nullptr;
    }
    PyObject* result = nullptr;
    const char* format = view.format != nullptr ? view.format : "B";
    const char type = std::strlen(format) == 1 ? format[0] : (format[0] == '<' || format[0] == '=') ? format[1] : 0;
    if (std::strchr("fdqliB?", type) == nullptr || type == 0) {
        PyErr_Format(PyExc_TypeError, "values of format '%s' cannot become a float32 tensor", format);
    } else if (view.ndim > devices::kMaxRank) {
        PyErr_SetString(PyExc_ValueError, "a tensor has at most 8 dimensions");
    } else {
        devices::Shape shape;
        for (int i = 0; i < view.ndim; ++i) {
            shape[shape.rank++] = view.shape[i];
        }
        std::vector<float> values(static_cast<std::size_t>(view.len / view.itemsize));
        if (type == 'f') {
            std::memcpy(values.data(), view.buf, values.size() * sizeof(float));
        } else {
            const char* data = static_cast<const char*>(view.buf);
            for (auto& value : values) {
                value = value_at(data, type);
                data += view.itemsize;
            }
        }
        result = guarded([&] {
            const runtime::OnDevice there = on_device(target);
            return made(target, state().runtime->from_host(shape, values));
        });
    }
    PyBuffer_Release(&view);
    return result;
}

// Waits for all ops of the device, or of all devices if there is no such device.
PyObject* waited_for_all(runtime::Runtime& runtime, trace::WaitKind kind, const char* name, int device) {
    if (!outside_gil([&] {
            if (device < 0 || device >= runtime.lanes.devices()) {
                runtime.waits.everything(kind, name);
            } else {
                runtime.waits.device(static_cast<core::DeviceId>(device), kind, name);
            }
        })) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

PyObject* waitall(PyObject*, PyObject* arguments) {
    const char* name = "waitall";
    int synchronize = 0;
    int device = -1;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "|spi", &name, &synchronize, &device) == 0) {
        return nullptr;
    }
    return waited_for_all(*runtime, synchronize != 0 ? trace::WaitKind::synchronize : trace::WaitKind::waitall, name,
                          device);
}

PyObject* framework_wait(PyObject*, PyObject* arguments) {
    int device = -1;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "i", &device) == 0) {
        return nullptr;
    }
    return waited_for_all(*runtime, trace::WaitKind::op_barrier, kFrameworkWait, device);
}

// Seconds on the run's clock, which stops while the run is paused.
PyObject* clock_seconds(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr) {
        return nullptr;
    }
    const auto lock = run_lock();
    return PyFloat_FromDouble(runtime->control.program_seconds());
}

PyObject* time_words(PyObject*, PyObject* seconds) {
    const double value = PyFloat_AsDouble(seconds);
    if (PyErr_Occurred() != nullptr) {
        return nullptr;
    }
    if (!std::isfinite(value) || std::abs(value) > 1e9) {
        PyErr_SetString(PyExc_ValueError, "a time is a number of seconds, at most 1e9");
        return nullptr;
    }
    return PyUnicode_FromString(time_text(std::llround(value * 1e9)).c_str());
}

PyObject* program_event(PyObject*, PyObject* arguments) {
    const char* kind = nullptr;
    const char* name = "";
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "s|s", &kind, &name) == 0) {
        return nullptr;
    }
    const std::string_view event = kind;
    bool known = true;
    trace::BarrierPolicy policy;
    if (event == "barrier") {
        const auto read = trace::barrier_called(name);
        if (!read) {
            PyErr_SetString(PyExc_ValueError, read.error().message.c_str());
            return nullptr;
        }
        policy = *read;
    }
    const bool done = outside_gil([&] {
        if (event == "scope_begin") {
            runtime->events.scope_begin(name);
        } else if (event == "scope_end") {
            runtime->events.scope_end(name);
        } else if (event == "minibatch_begin") {
            runtime->events.minibatch_begin();
        } else if (event == "minibatch_end") {
            runtime->events.minibatch_end();
        } else if (event == "minibatch_abandon") {
            runtime->events.minibatch_abandon();
        } else if (event == "barrier") {
            runtime->control.set_written_barrier(policy);
        } else if (event == "measure_begin") {
            runtime->events.measure_begin();
        } else if (event == "measure_end") {
            runtime->events.measure_end();
        } else if (event == "end") {
            runtime->recorder.account_end();
        } else if (event == "raised") {
            runtime->recorder.account_end();
            runtime->recorder.program_event(trace::FrontendKind::program_end, 0, 0);
        } else {
            known = false;
        }
    });
    if (!done) {
        return nullptr;
    }
    if (!known) {
        PyErr_Format(PyExc_ValueError, "there is no program event %s", kind);
        return nullptr;
    }
    Py_RETURN_NONE;
}

// Accepts any int, including negative and large ones.
PyObject* start_random(PyObject*, PyObject* number) {
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr) {
        return nullptr;
    }
    PyObject* whole = PyNumber_Index(number);
    if (whole == nullptr) {
        return nullptr;
    }
    const std::uint64_t bits = PyLong_AsUnsignedLongLongMask(whole);
    Py_DECREF(whole);
    if (PyErr_Occurred() != nullptr) {
        return nullptr;
    }
    runtime->random.start(bits);
    Py_RETURN_NONE;
}

PyObject* set_recording(PyObject*, PyObject* arguments) {
    int on = 0;
    if (PyArg_ParseTuple(arguments, "p", &on) == 0) {
        return nullptr;
    }
    return PyBool_FromLong(nn::set_recording(on != 0) ? 1 : 0);
}

PyObject* is_recording(PyObject*, PyObject*) {
    return PyBool_FromLong(nn::is_recording() ? 1 : 0);
}

PyObject* issued(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    return runtime != nullptr ? PyLong_FromUnsignedLong(runtime->recorder.issued()) : nullptr;
}

PyObject* stop_asked(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    return runtime != nullptr ? PyBool_FromLong(runtime->recorder.recording().control().stop.load() != 0) : nullptr;
}

PyObject* device(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr) {
        return nullptr;
    }
    const auto& info = runtime->lanes.device(0).info();
    return Py_BuildValue("(ssi)", info.kind.c_str(), info.name.c_str(),
                         static_cast<int>(runtime->lanes.device(0).lanes()));
}

PyObject* seed(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    return runtime != nullptr ? PyLong_FromUnsignedLongLong(runtime->settings.seed) : nullptr;
}

// The device number of the run's CPU, which is opened at the first call. Raises Error if there is none.
PyObject* cpu(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    return runtime != nullptr ? guarded([&] { return PyLong_FromLong(runtime->cpu()); }) : nullptr;
}

// The device number of a GPU. Raises Error if there is none of this index.
PyObject* gpu(PyObject*, PyObject* arguments) {
    unsigned index = 0;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "|I", &index) == 0) {
        return nullptr;
    }
    return guarded([&] { return PyLong_FromLong(runtime->gpu(index)); });
}

PyObject* gpus(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    return runtime != nullptr ? PyLong_FromUnsignedLong(runtime->gpus()) : nullptr;
}

PyMethodDef functions[] = {
    {"full", full, METH_VARARGS, "full(shape, value[, type, place, waits, device])"},
    {"normal", normal, METH_VARARGS, "normal(shape[, mean, deviation, type, place, waits, device])"},
    {"uniform", uniform, METH_VARARGS, "uniform(shape[, low, high, type, place, waits, device])"},
    {"start_random", start_random, METH_O, "Seeds the random numbers: the same number gives the same values."},
    {"from_buffer", from_buffer, METH_VARARGS, "from_buffer(object[, type, place, waits, device])"},
    {"waitall", waitall, METH_VARARGS, "waitall([name, synchronize, device])"},
    {"framework_wait", framework_wait, METH_VARARGS, "framework_wait(device): as PyTorch on a CPU, after an op"},
    {"time_text", time_words, METH_O, "Seconds in three digits, with their unit."},
    {"clock", clock_seconds, METH_NOARGS, "Seconds on the run's clock, pauses left out."},
    {"program_event", program_event, METH_VARARGS, "program_event(kind[, name])"},
    {"set_recording", set_recording, METH_VARARGS,
     "Sets whether gradients are recorded; returns the previous setting."},
    {"is_recording", is_recording, METH_NOARGS, "Whether gradients are recorded."},
    {"issued", issued, METH_NOARGS, "Ops issued so far."},
    {"stop_asked", stop_asked, METH_NOARGS, "Whether the run's user has stopped it."},
    {"cpu", cpu, METH_NOARGS, "The number of the run's CPU."},
    {"gpu", gpu, METH_VARARGS, "gpu([index]): the number of a GPU of the run."},
    {"gpus", gpus, METH_NOARGS, "How many GPUs the run has; they have the first numbers."},
    {"seed", seed, METH_NOARGS, "The run's seed (--seed)."},
    {"device", device, METH_NOARGS, "(kind, name, lanes) of the run's device."},
    {nullptr, nullptr, 0, nullptr},
};

// PyModule_AddObjectRef exists from Python 3.10 on only.
bool add(PyObject* module, const char* name, PyObject* object) {
    Py_INCREF(object);
    return PyModule_AddObject(module, name, object) == 0;
}

bool add_functions(PyObject* module) {
    for (PyMethodDef* table : {issue_point_functions, program_stream_functions, recorded_output_functions,
                               simulated_host_functions, torch_host_functions, traced_function_functions}) {
        if (PyModule_AddFunctions(module, table) != 0) {
            return false;
        }
    }
    return true;
}

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_headway",
                          "Headway's queue, for the dialects.",
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyObject* make_module() {
    PyObject* module = PyModule_Create(&definition);
    if (module == nullptr) {
        return nullptr;
    }
    State& s = state();
    s.error = PyErr_NewExceptionWithDoc("headway.Error", "An op with invalid operands, or one that failed.",
                                        PyExc_RuntimeError, nullptr);
    s.out_of_memory = PyErr_NewExceptionWithDoc("headway.OutOfMemoryError", "The budget or the device is exhausted.",
                                                s.error, nullptr);
    s.stop = PyErr_NewExceptionWithDoc("headway.Stop", "The user has stopped the run.", PyExc_BaseException, nullptr);
    if (s.error == nullptr || s.out_of_memory == nullptr || s.stop == nullptr || !add_tensor_type(module) ||
        !add_functions(module) || !add(module, "Error", s.error) || !add(module, "OutOfMemoryError", s.out_of_memory) ||
        !add(module, "Stop", s.stop)) {
        Py_DECREF(module);
        return nullptr;
    }
    return module;
}

}  // namespace headway::runner::python
