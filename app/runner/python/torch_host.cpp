#include "app/runner/python/torch_host.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <stdexcept>
#include <string>

#include "app/json/json.h"
#include "app/runner/python/module.h"
#include "app/runner/python/state.h"
#include "app/runner/torch/forward_lines.h"
#include "app/runner/torch/torch_host.h"
#include "engine/core/system/machine_memory.h"

namespace headway::runner::python {

namespace {

namespace tm = torch_module;
using runtime::Buffer;

static_assert(tm::kMostDevices == core::kMaxGpus);

Buffer* buffer_of(tm::Block* block) {
    return reinterpret_cast<Buffer*>(block);
}

// Until the program makes a stream, it has a single stream, which consists of all lanes.
struct HostPoint {
    bool everything = false;
    runtime::IssuedSoFar issued;  // if `everything`
    runtime::StreamPoint at;      // otherwise
};

const HostPoint& point_of(const tm::Point* point) {
    return *reinterpret_cast<const HostPoint*>(point);
}

class TorchHost final : public tm::Host {
    // (First, because its callers need its return type.)
    template <class Call>
    auto with_runtime(Call call) {
        const std::lock_guard lock(mutex);
        State& s = state();
        if (!open || s.runtime == nullptr) {
            throw std::runtime_error(
                "this run's device cannot be used here: the run has ended, or this is another process (keep to CPU "
                "tensors there)");
        }
        try {
            return call(*s.runtime);
        } catch (const runtime::ProgramError& problem) {
            s.last_error = problem.error();
            if (problem.error().kind == core::ErrorKind::out_of_memory) {
                throw tm::OutOfMemory(problem.error().message);
            }
            throw std::runtime_error(problem.error().message);
        }
    }

    // A wait of the program's. What it finds completed is released.
    template <class Wait>
    void waiting(Wait wait) {
        with_runtime([&](runtime::Runtime& rt) {
            ++waits_;
            wait(rt);
            rt.opaque.release_completed();
            return true;
        });
    }

public:
    tm::Block* allocate(std::size_t bytes, std::uint32_t device, std::uint32_t stream, void** data) override {
        return with_runtime([&](runtime::Runtime& rt) {
            Buffer* buffer = rt.opaque.allocate(bytes, static_cast<core::DeviceId>(device), stream);
            allocated_[device] += bytes;
            peak_[device] = std::max(peak_[device], allocated_[device]);
            *data = buffer->data;
            return reinterpret_cast<tm::Block*>(buffer);
        });
    }

    void release(tm::Block* block) noexcept override {
        const std::lock_guard lock(mutex);
        if (State& s = state(); open && s.runtime != nullptr) {
            allocated_[buffer_of(block)->device] -= buffer_of(block)->bytes;
            s.runtime->opaque.release(buffer_of(block));
        }
    }

    const tm::Signature* signature(const tm::OpText& text) override {
        static_assert(static_cast<int>(tm::Family::other) == static_cast<int>(devices::Family::other));
        return with_runtime([&](runtime::Runtime& rt) {
            runtime::OpaqueDescription description;
            description.kind = text.direction == tm::Direction::to_device ? devices::OpKind::copy_to_device
                               : text.direction == tm::Direction::to_host ? devices::OpKind::copy_to_host
                                                                          : devices::OpKind::opaque;
            description.family = static_cast<devices::Family>(text.family);
            description.name = text.name;
            description.shapes = text.shapes;
            description.out_bytes = text.out_bytes;
            description.flops = text.flops;
            description.moved_bytes = text.moved_bytes;
            return reinterpret_cast<const tm::Signature*>(&rt.signatures.opaque(description));
        });
    }

    tm::Issued issue(const tm::Issue& issue) override {
        return with_runtime([&](runtime::Runtime& rt) {
            runtime::OpaqueOp op;
            op.signature = reinterpret_cast<const devices::Signature*>(issue.signature);
            op.reads = {reinterpret_cast<Buffer* const*>(issue.reads), issue.read_count};
            op.writes = {reinterpret_cast<Buffer* const*>(issue.writes), issue.write_count};
            op.function = issue.run;
            op.drop = issue.drop;
            op.context = issue.work;
            op.device = static_cast<core::DeviceId>(issue.device);
            op.lane = issue.stream;
            if (issue.from >= 0) {
                op.from = static_cast<core::DeviceId>(issue.from);
                op.from_lane = issue.from_stream;
            }
            forward_lines_.made(issue.made, rt.lines.current());
            op.forward_line = forward_lines_.of(issue.backward_of);
            const std::uint32_t lane = rt.opaque.issue(op);
            return tm::Issued{rt.recorder.issued(), lane, rt.lanes.submitted()[lane]};
        });
    }

    void wait(tm::Issued op, tm::Block* block, tm::Blocker kind, const char* name) override {
        waiting([&](runtime::Runtime& rt) {
            rt.waits.in_lane(op.lane, block != nullptr ? buffer_of(block)->id : 0, op.op,
                             static_cast<trace::WaitKind>(kind), name);
        });
    }

    void wait_for(tm::Block* block, tm::Blocker kind, const char* name) override {
        waiting([&](runtime::Runtime& rt) {
            Buffer* buffer = buffer_of(block);
            if (buffer->write_seq != 0) {
                rt.opaque.add_reference(*buffer);
                const runtime::Tensor held(buffer, 0);
                rt.waits.to_read(held, static_cast<trace::WaitKind>(kind), name);
            }
        });
    }

    void wait_for_all(tm::Blocker kind, const char* name) override {
        waiting([&](runtime::Runtime& rt) { rt.waits.everything(static_cast<trace::WaitKind>(kind), name); });
    }

    void wait_before_fork() override {
        waiting([](runtime::Runtime& rt) { rt.waits.everything_undelivered(trace::WaitKind::copy, "fork"); });
    }

    void wait_for_device(std::uint32_t device, tm::Blocker kind, const char* name) override {
        waiting([&](runtime::Runtime& rt) {
            rt.waits.device(static_cast<core::DeviceId>(device), static_cast<trace::WaitKind>(kind), name);
        });
    }

    void made(tm::GraphNode node) override {
        const std::lock_guard lock(mutex);
        if (State& s = state(); open && s.runtime != nullptr) {
            forward_lines_.made(node, s.runtime->lines.current());
        }
    }

    void scope(const char* name, bool begins) noexcept override {
        const std::lock_guard lock(mutex);
        if (State& s = state(); open && s.runtime != nullptr && PyThread_get_thread_ident() == s.frontend_thread) {
            try {
                begins ? s.runtime->events.scope_begin(name) : s.runtime->events.scope_end(name);
            } catch (const runtime::ProgramError&) {
                // No name is left. PyTorch's callbacks must not throw: the scope is not recorded.
            }
        }
    }

    double end_ns(tm::Issued op) override {
        return with_runtime([&](runtime::Runtime& rt) {
            const auto end_ns = recorded_end_ns(rt, op.op, op.lane);
            return end_ns ? *end_ns : throw std::runtime_error(kEndNotRecorded);
        });
    }

    tm::Memory memory(std::uint32_t device) override {
        return with_runtime([&](runtime::Runtime& rt) {
            return tm::Memory{allocated_[device], peak_[device],
                              rt.memory.reserved_bytes(static_cast<core::DeviceId>(device)),
                              rt.settings.budget_bytes != 0 ? rt.settings.budget_bytes : core::machine_memory().total};
        });
    }
    void empty_cache() override {
        with_runtime([](runtime::Runtime& rt) {
            rt.waits.everything(trace::WaitKind::synchronize, "torch.cuda.empty_cache");
            rt.opaque.release_completed();
            rt.memory.empty_cache();
            return true;
        });
    }
    void reset_peak(std::uint32_t device) override {
        const std::lock_guard lock(mutex);
        peak_[device] = allocated_[device];
    }

    std::uint32_t devices() override { return devices_; }
    std::uint32_t lanes(std::uint32_t device) override { return first_lane_[device + 1] - first_lane_[device]; }
    bool virtual_time() override { return virtual_; }

    std::uint32_t default_stream(std::uint32_t device) override { return first_lane_[device]; }
    std::uint32_t open_stream(std::uint32_t device) override {
        return with_runtime([&](runtime::Runtime& rt) { return rt.streams.open(static_cast<core::DeviceId>(device)); });
    }
    std::uint32_t device_of(std::uint32_t stream) override {
        const auto second = first_lane_.begin() + 1;
        return static_cast<std::uint32_t>(std::upper_bound(second, second + devices_ - 1, stream) - second);
    }
    void close_stream(std::uint32_t stream) noexcept override {
        const std::lock_guard lock(mutex);
        if (State& s = state(); open && s.runtime != nullptr) {
            s.runtime->streams.close(stream);
        }
    }
    tm::Point* point(std::uint32_t stream) override {
        return with_runtime([&](runtime::Runtime& rt) {
            HostPoint point;
            point.everything = !rt.streams.active();
            if (point.everything) {
                point.issued = rt.waits.issued_so_far("event", static_cast<core::DeviceId>(device_of(stream)));
            } else {
                point.at = rt.streams.point(stream);
            }
            return reinterpret_cast<tm::Point*>(new HostPoint(point));
        });
    }
    void release(tm::Point* point) noexcept override { delete reinterpret_cast<HostPoint*>(point); }
    void stream_wait(std::uint32_t stream, const tm::Point* point) override {
        with_runtime([&](runtime::Runtime& rt) {
            if (!point_of(point).everything) {
                rt.streams.wait(stream, point_of(point).at);
            } else if (rt.streams.active()) {
                // The moment is from before the program's first stream. Waits for everything issued to the GPU's
                // default stream by now, which is more than the program asked for.
                rt.streams.wait(stream, rt.streams.point(default_stream(device_of(point_of(point).issued.begin))));
            }
            return true;
        });
    }
    bool reached(const tm::Point* point) override {
        return with_runtime([&](runtime::Runtime& rt) {
            const bool done = point_of(point).everything ? rt.waits.finished(point_of(point).issued)
                                                         : rt.streams.finished(point_of(point).at);
            waits_ += done ? 1 : 0;
            return done;
        });
    }
    void wait_for_point(const tm::Point* point, const char* name) override {
        waiting([&](runtime::Runtime& rt) {
            if (point_of(point).everything) {
                rt.waits.until_finished(point_of(point).issued, trace::WaitKind::synchronize, name);
            } else {
                rt.waits.stream(point_of(point).at, name);
            }
        });
    }
    std::uint64_t waits() override {
        const std::lock_guard lock(mutex);
        return waits_;
    }
    void record_stream(tm::Block* block, std::uint32_t stream) override {
        with_runtime([&](runtime::Runtime& rt) {
            rt.streams.record_stream(*buffer_of(block), stream);
            return true;
        });
    }
    tm::Block* ordering_block(std::uint32_t device) override {
        return with_runtime([&](runtime::Runtime& rt) {
            Buffer* buffer = rt.opaque.allocate(64, static_cast<core::DeviceId>(device), default_stream(device));
            rt.streams.keep_in_order(*buffer);
            return reinterpret_cast<tm::Block*>(buffer);
        });
    }

    std::mutex mutex;
    std::atomic<bool> open{false};

    // Stores what does not change during a run. Call before setting `open`.
    void prepare(const runtime::Runtime& rt) {
        virtual_ = rt.lanes.virtual_time();
        devices_ = std::clamp(rt.lanes.set().gpus(), 1u, tm::kMostDevices);
        for (std::uint32_t device = 0; device < devices_; ++device) {
            first_lane_[device] = rt.lanes.begin(static_cast<core::DeviceId>(device));
            first_lane_[device + 1] = rt.lanes.end(static_cast<core::DeviceId>(device));
        }
    }

private:
    bool virtual_ = false;
    std::uint32_t devices_ = 1;
    std::array<std::uint32_t, tm::kMostDevices + 1> first_lane_{};
    std::array<std::uint64_t, tm::kMostDevices> allocated_{}, peak_{};  // bytes
    std::uint64_t waits_ = 0;
    tm::ForwardLines forward_lines_;
};

// Lives as long as the process: PyTorch's threads and tensors may outlive the run.
TorchHost& torch_host() {
    static auto* host = new TorchHost;
    return *host;
}

// open_torch(path): loads the module, after PyTorch itself was imported.
PyObject* open_torch(PyObject*, PyObject* arguments) {
    const char* path = nullptr;
    runtime::Runtime* runtime = frontend();
    if (runtime == nullptr || PyArg_ParseTuple(arguments, "s", &path) == 0) {
        return nullptr;
    }
    if (runtime->lanes.device(0).info().kind == "cuda") {
        PyErr_SetString(PyExc_RuntimeError,
                        "Debian's PyTorch has no CUDA: run this program on the device simulated or cpu");
        return nullptr;
    }
    torch_host().prepare(*runtime);
    void* module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void* entry = module != nullptr ? dlsym(module, tm::kModuleEntry) : nullptr;
    if (entry == nullptr) {
        PyErr_SetString(PyExc_ImportError, dlerror());
        return nullptr;
    }
    if (!reinterpret_cast<tm::ModuleEntry>(entry)(tm::kModuleAbi, &torch_host())) {
        PyErr_SetString(PyExc_ImportError, "libheadway_torch.so is from another build than the runner");
        return nullptr;
    }
    torch_host().open = true;
    Py_RETURN_NONE;
}

// torch_is(name[, cpu_ops, cpu_ops_ns]): records which torch the program imported and, unless cpu_ops is None, how many
// ops on CPU tensors it called and how long they took. Does nothing in a forked process, and in other threads.
PyObject* torch_is(PyObject*, PyObject* arguments) {
    const char* name = nullptr;
    PyObject* ops = Py_None;
    unsigned long long ns = 0;
    if (PyArg_ParseTuple(arguments, "s|OK", &name, &ops, &ns) == 0) {
        return nullptr;
    }
    std::string json = "{\"torch\": " + json::quoted(name);
    if (ops != Py_None) {
        json += ", \"cpu_ops\": " + std::to_string(PyLong_AsUnsignedLongLong(ops)) +
                ", \"cpu_ops_ns\": " + std::to_string(ns);
        if (PyErr_Occurred() != nullptr) {
            return nullptr;
        }
    }
    runtime::Runtime* runtime = frontend();
    PyErr_Clear();
    const auto lock = run_lock();
    if (runtime != nullptr && runtime->control.in_own_process()) {
        runtime->recorder.recording().meta(trace::MetaType::torch, 0, json + "}");
    }
    Py_RETURN_NONE;
}

// is_engine_error(text): whether the text has the message of the last error that the engine raised.
PyObject* is_engine_error(PyObject*, PyObject* text) {
    const char* words = PyUnicode_Check(text) != 0 ? PyUnicode_AsUTF8(text) : nullptr;
    if (words == nullptr) {
        PyErr_Clear();
        Py_RETURN_FALSE;
    }
    const std::string& last = state().last_error.message;
    return PyBool_FromLong(!last.empty() && std::string(words).find(last) != std::string::npos ? 1 : 0);
}

}  // namespace

std::unique_lock<std::mutex> run_lock() {
    TorchHost& host = torch_host();
    return host.open ? std::unique_lock<std::mutex>(host.mutex) : std::unique_lock<std::mutex>();
}

// After a fork this is the only thread. Another one may have held the lock, so a new one is constructed in its place.
void close_torch() {
    TorchHost& host = torch_host();
    host.open = false;
    new (&host.mutex) std::mutex;
}

PyMethodDef torch_host_functions[] = {
    {"open_torch", open_torch, METH_VARARGS, "open_torch(path): loads the PyTorch module."},
    {"torch_is", torch_is, METH_VARARGS, "torch_is(name, cpu_ops, cpu_ops_ns): records the program's torch."},
    {"is_engine_error", is_engine_error, METH_O, "Whether the text has the last engine error's message."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headway::runner::python
