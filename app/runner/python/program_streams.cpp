// The program's streams (engine/runtime/program_streams.h) as functions of _headway. Streams are numbers;
// moments in streams are bytes, which the dialects keep in their events.
#include <algorithm>
#include <cstring>
#include <optional>

#include "app/runner/python/module.h"
#include "app/runner/python/state.h"
#include "app/runner/python/tensor_type.h"
#include "engine/trace/newest_first.h"
#include "engine/trace/reader.h"

namespace headway::runner::python {

namespace {

using runtime::StreamPoint;

PyObject* nothing() {
    Py_RETURN_NONE;
}

// Calls call(runtime, gpu) with the argument, the index of a GPU: 0 if there is none.
template <class Call>
PyObject* with_gpu(PyObject* arguments, Call call) {
    unsigned int gpu = 0;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "|I", &gpu) == 0) {
        return nullptr;
    }
    // Index 0 is also the CPU of a run without a GPU.
    return guarded([&] { return call(*runtime, gpu == 0 ? core::DeviceId{0} : runtime->gpu(gpu)); });
}

// stream_open([gpu]): the number of another stream.
PyObject* stream_open(PyObject*, PyObject* arguments) {
    return with_gpu(arguments, [](runtime::Runtime& runtime, core::DeviceId device) {
        return PyLong_FromUnsignedLong(runtime.streams.open(device));
    });
}

PyObject* stream_close(PyObject*, PyObject* arguments) {
    unsigned int stream = 0;
    if (PyArg_ParseTuple(arguments, "I", &stream) == 0) {
        return nullptr;
    }
    if (runtime::Runtime* runtime = state().runtime; runtime != nullptr) {  // perhaps at the end of the run
        runtime->streams.close(stream);
    }
    return nothing();
}

PyObject* stream_default(PyObject*, PyObject* arguments) {
    return with_gpu(arguments, [](runtime::Runtime& runtime, core::DeviceId device) {
        return PyLong_FromUnsignedLong(runtime.streams.default_stream(device));
    });
}

PyObject* stream_active(PyObject*, PyObject*) {
    runtime::Runtime* runtime = frontend();
    return runtime != nullptr ? PyBool_FromLong(runtime->streams.active() ? 1 : 0) : nullptr;
}

// stream_set(stream): ops of its GPU go there from now on.
PyObject* stream_set(PyObject*, PyObject* arguments) {
    unsigned int stream = 0;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "I", &stream) == 0) {
        return nullptr;
    }
    return guarded([&] {
        runtime->streams.set_current(stream);
        return nothing();
    });
}

// stream_point(stream): the moment after what has been issued to it.
PyObject* stream_point(PyObject*, PyObject* arguments) {
    unsigned int stream = 0;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "I", &stream) == 0) {
        return nullptr;
    }
    return guarded([&] {
        const StreamPoint point = runtime->streams.point(stream);
        return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(&point), sizeof point);
    });
}

// False with an exception set unless the bytes are a moment of this run.
bool read(const Py_buffer& bytes, const runtime::Runtime& runtime, StreamPoint& point) {
    bool good = static_cast<std::size_t>(bytes.len) == sizeof point;
    if (good) {
        std::memcpy(&point, bytes.buf, sizeof point);
        const runtime::Lanes& lanes = runtime.lanes;
        const core::OpId issued = runtime.recorder.issued();
        good = point.lane < lanes.count() && point.op <= issued &&
               std::all_of(point.waits.begin(), point.waits.end(), [issued](core::OpId op) { return op <= issued; }) &&
               (point.seq == 0 || !core::after(point.seq, lanes.submitted()[point.lane]));
    }
    if (!good) {
        PyErr_SetString(PyExc_ValueError, "this is not a moment of a stream of this run");
    }
    return good;
}

// Calls call(runtime, point, name) without the GIL, with the arguments (point[, name]).
template <class Call>
PyObject* with_point(PyObject* arguments, Call call) {
    Py_buffer bytes;
    const char* name = "";
    StreamPoint point;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "y*|s", &bytes, &name) == 0) {
        return nullptr;
    }
    const bool good = read(bytes, *runtime, point);
    PyBuffer_Release(&bytes);
    if (!good || !outside_gil([&] { call(*runtime, point, name); })) {
        return nullptr;
    }
    return nothing();
}

// stream_wait(stream, point): ops that are issued to the stream from now on start after that.
PyObject* stream_wait(PyObject*, PyObject* arguments) {
    Py_buffer bytes;
    unsigned int stream = 0;
    StreamPoint point;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "Iy*", &stream, &bytes) == 0) {
        return nullptr;
    }
    const bool good = read(bytes, *runtime, point);
    PyBuffer_Release(&bytes);
    return !good ? nullptr : guarded([&] {
        runtime->streams.wait(stream, point);
        return nothing();
    });
}

PyObject* stream_finished(PyObject*, PyObject* arguments) {
    bool done = false;
    PyObject* result = with_point(arguments, [&done](runtime::Runtime& runtime, const StreamPoint& point, const char*) {
        done = runtime.streams.finished(point);
    });
    if (result == nullptr) {
        return nullptr;
    }
    Py_DECREF(result);
    return PyBool_FromLong(done ? 1 : 0);
}

PyObject* stream_synchronize(PyObject*, PyObject* arguments) {
    return with_point(arguments, [](runtime::Runtime& runtime, const StreamPoint& point, const char* name) {
        runtime.waits.stream(point, name);
    });
}

// stream_record(tensor, stream): the tensor is used there, too.
PyObject* stream_record(PyObject*, PyObject* arguments) {
    PyObject* tensor = nullptr;
    unsigned int stream = 0;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "O!I", state().tensor_type, &tensor, &stream) == 0) {
        return nullptr;
    }
    return guarded([&] {
        if (const runtime::Buffer* buffer = readable(as_tensor(tensor)).value().buffer(); buffer != nullptr) {
            runtime->streams.record_stream(*buffer, stream);
        }
        return nothing();
    });
}

// stream_mark(stream): an op that does nothing, in that stream; returns its number and its lane. As long as the program
// has no streams of its own, the lane is any of the stream's GPU.
PyObject* stream_mark(PyObject*, PyObject* arguments) {
    unsigned int stream = 0;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "I", &stream) == 0) {
        return nullptr;
    }
    return guarded([&] {
        runtime::ProgramStreams& streams = runtime->streams;
        streams.expect_stream(stream);
        const core::DeviceId device = runtime->lanes.device_of(stream).number();
        const std::uint32_t current = streams.current(device);
        const runtime::LaneSeqs before = runtime->lanes.submitted();
        {
            const runtime::OnDevice there(*runtime, device);
            streams.set_current(stream);
            runtime->noop();
            streams.set_current(current);
        }
        const runtime::LaneSeqs& after = runtime->lanes.submitted();
        unsigned int lane = 0;
        while (lane + 1 < runtime->lanes.count() && after[lane] == before[lane]) {
            ++lane;
        }
        return Py_BuildValue("(II)", runtime->recorder.issued(), lane);
    });
}

// op_end_ns(op, stream): when an op of the stream that has finished ended, on the run's clock.
PyObject* op_end_ns(PyObject*, PyObject* arguments) {
    unsigned int op = 0, stream = 0;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "II", &op, &stream) == 0) {
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        const auto end_ns = recorded_end_ns(*runtime, op, stream);
        if (!end_ns) {
            PyErr_SetString(PyExc_RuntimeError, kEndNotRecorded);
            return nullptr;
        }
        return PyFloat_FromDouble(*end_ns);
    });
}

}  // namespace

std::optional<double> recorded_end_ns(runtime::Runtime& runtime, std::uint32_t op, std::uint32_t lane) {
    trace::Recording& recording = runtime.recorder.recording();
    const auto end_ns = [&]() -> std::optional<double> {
        std::optional<std::uint64_t> end;
        const trace::StreamId stream{trace::StreamKind::lane, static_cast<std::uint8_t>(lane)};
        trace::newest_first<trace::ExecRecord>(recording, stream, [&](const trace::ExecRecord& record) {
            if (!record.is_part() && record.id() == op) {
                end = record.begin + trace::unpack_duration(record.duration);
            }
            return record.is_part() || record.id() > op;
        });
        if (!end) {
            return std::nullopt;
        }
        const auto reader = recording.reader();
        return reader ? std::optional(static_cast<double>((*reader)->scale().ns_from_ticks(*end))) : std::nullopt;
    };
    if (const auto known = end_ns()) {
        return known;
    }
    runtime.lanes.device_of(lane).settle();  // a GPU reports the times of its ops late
    return end_ns();
}

PyMethodDef program_stream_functions[] = {
    {"stream_open", stream_open, METH_VARARGS, "stream_open([gpu]): another stream; Error if no lane is left."},
    {"stream_close", stream_close, METH_VARARGS, "stream_close(stream): its lane may be opened again."},
    {"stream_default", stream_default, METH_VARARGS, "stream_default([gpu]): its default stream."},
    {"stream_active", stream_active, METH_NOARGS, "Whether the program orders its streams itself."},
    {"stream_set", stream_set, METH_VARARGS, "stream_set(stream): makes it the current stream of its GPU."},
    {"stream_point", stream_point, METH_VARARGS, "stream_point(stream): the moment after what was issued to it."},
    {"stream_wait", stream_wait, METH_VARARGS, "stream_wait(stream, point)"},
    {"stream_finished", stream_finished, METH_VARARGS, "stream_finished(point): whether that is reached."},
    {"stream_synchronize", stream_synchronize, METH_VARARGS, "stream_synchronize(point, name)"},
    {"stream_record", stream_record, METH_VARARGS, "stream_record(tensor, stream)"},
    {"stream_mark", stream_mark, METH_VARARGS,
     "stream_mark(stream): issues an op that does nothing; its number and lane."},
    {"op_end_ns", op_end_ns, METH_VARARGS, "op_end_ns(op, stream): when it ended; RuntimeError if that is not known."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headway::runner::python
