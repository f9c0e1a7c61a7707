// libheadway_torch.so: what PyTorch asks of a device beside its ops, the functions of torch.ops.headway, and the entry
// point that the runner calls after it has loaded the module.
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <memory>
#include <mutex>
#include <unordered_map>

#include "app/runner/torch/device.h"

namespace headway::torch_module {

namespace {

// A stream's id is its number.
struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
    c10::Device exchangeDevice(c10::Device device) const override {
        const c10::Device before = getDevice();
        setDevice(device);
        return before;
    }
    c10::Device getDevice() const override { return gpu(current_gpu()); }
    void setDevice(c10::Device device) const override { set_current_gpu(gpu_number(device)); }
    void uncheckedSetDevice(c10::Device device) const noexcept override {
        set_current_gpu(static_cast<std::uint32_t>(device.index()));
    }
    c10::Stream getStream(c10::Device device) const noexcept override {
        return stream_of(current_stream(number_of(device)));
    }
    c10::Stream getDefaultStream(c10::Device device) const override {
        return stream_of(host().default_stream(gpu_number(device)));
    }
    c10::Stream exchangeStream(c10::Stream stream) const noexcept override {
        const c10::Stream before = getStream(stream.device());
        set_current_stream(number_of(stream));
        return before;
    }
    c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(host().devices()); }
    // Autograd uses events to order the streams of the backward pass.
    void record(void** event, const c10::Stream& stream, const c10::DeviceIndex, const c10::EventFlag) const override {
        host().release(static_cast<Point*>(*event));
        *event = checked([&] { return host().point(number_of(stream)); });
    }
    void block(void* event, const c10::Stream& stream) const override {
        if (event != nullptr) {
            checked([&] { host().stream_wait(number_of(stream), static_cast<Point*>(event)); });
        }
    }
    bool queryEvent(void* event) const override {
        return event == nullptr || checked([&] { return host().reached(static_cast<Point*>(event)); });
    }
    void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
        host().release(static_cast<Point*>(event));
    }
    bool queryStream(const c10::Stream& stream) const override {
        Point* point = checked([&] { return host().point(number_of(stream)); });
        const bool done = checked([&] { return host().reached(point); });
        host().release(point);
        return done;
    }
    void synchronizeStream(const c10::Stream& stream) const override {
        Point* point = checked([&] { return host().point(number_of(stream)); });
        checked([&] { host().wait_for_point(point, "Stream.synchronize"); });
        host().release(point);
    }
    void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& stream) const override {
        if (Block* block = block_of(data); block != nullptr) {
            checked([&] { host().record_stream(block, number_of(stream)); });
        }
    }

    static c10::Stream stream_of(std::uint32_t number) {
        return c10::Stream(c10::Stream::UNSAFE, gpu(host().device_of(number)), static_cast<c10::StreamId>(number));
    }
    static std::uint32_t number_of(const c10::Stream& stream) { return static_cast<std::uint32_t>(stream.id()); }

private:
    static std::uint32_t number_of(c10::Device device) {
        return device.has_index() ? static_cast<std::uint32_t>(device.index()) : current_gpu();
    }
};
const c10::impl::DeviceGuardImplRegistrar guard_registered(c10::DeviceType::CUDA, new Guard);

std::uint32_t small(std::int64_t number) {
    return static_cast<std::uint32_t>(number);
}

void wait_for_all(Blocker kind, const std::string& name) {
    checked([&] { host().wait_for_all(kind, name.c_str()); });
}

// An event is an op that does nothing, in the stream. Returns its op, its lane, and its place there.
std::vector<std::int64_t> record_event(std::int64_t stream) {
    const std::uint32_t number = host().device_of(small(stream)), before = current_stream(number);
    const OnGpu there(number);
    set_current_stream(small(stream));
    const std::shared_ptr<void> afterwards(nullptr, [&](void*) { set_current_stream(before); });
    Task* task = Task::take();
    task->call = [](Task&) {};
    const Issued op = issue(host().signature({"event", "", Family::other}), {}, task);
    return {op.op, op.lane, op.seq};
}
// The moments that Python holds, by number; it drops each of them.
class Points {
public:
    std::int64_t add(std::uint32_t stream) {
        std::shared_ptr<Point> point(host().point(stream), [](Point* p) { host().release(p); });
        const std::lock_guard lock(mutex_);
        points_[++last_] = std::move(point);
        return last_;
    }
    void drop(std::int64_t number) {
        const std::lock_guard lock(mutex_);
        points_.erase(number);
    }
    std::shared_ptr<Point> at(std::int64_t number) {
        const std::lock_guard lock(mutex_);
        const auto found = points_.find(number);
        TORCH_CHECK(found != points_.end(), "there is no such moment of a stream");
        return found->second;
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::int64_t, std::shared_ptr<Point>> points_;
    std::int64_t last_ = 0;
};
Points& points() {
    static auto* all = new Points;
    return *all;
}

Issued event_of(std::int64_t op, std::int64_t lane, std::int64_t seq) {
    return {static_cast<std::uint32_t>(op), static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(seq)};
}

TORCH_LIBRARY(headway, m) {
    m.def("gpus", []() -> std::int64_t { return host().devices(); });
    m.def("no_gpu", [](std::int64_t number) -> std::string { return no_gpu(small(number)); });
    m.def("current_gpu", []() -> std::int64_t { return current_gpu(); });
    m.def("set_current_gpu", [](std::int64_t number) { set_current_gpu(small(number)); });
    m.def("lanes", [](std::int64_t number) -> std::int64_t { return host().lanes(small(number)); });
    m.def("synchronize", [](std::int64_t number, const std::string& name) {
        checked([&] { host().wait_for_device(small(number), Blocker::synchronize, name.c_str()); });
    });
    // A wait for all ops that the program did not ask for.
    m.def("block", [](const std::string& name) { wait_for_all(Blocker::copy, name); });
    m.def("wait_before_fork", [] { checked([] { host().wait_before_fork(); }); });
    m.def("blocker", set_blocker);
    m.def("seed", [](std::int64_t number, std::int64_t value) {
        const OnGpu there(small(number));
        seed(value);
    });
    m.def("generator_state", [](std::int64_t number) -> at::Tensor {
        const OnGpu there(small(number));
        wait_for_all(Blocker::copy, "get_rng_state");
        return generator().get_state();
    });
    m.def("set_generator_state", [](std::int64_t number, const at::Tensor& state) {
        const OnGpu there(small(number));
        set_generator_state(state);
    });
    m.def("memory", [](std::int64_t number) -> std::vector<std::int64_t> {
        const Memory memory = host().memory(small(number));
        return {static_cast<std::int64_t>(memory.allocated), static_cast<std::int64_t>(memory.peak),
                static_cast<std::int64_t>(memory.reserved), static_cast<std::int64_t>(memory.total)};
    });
    m.def("reset_peak", [](std::int64_t number) { host().reset_peak(small(number)); });
    m.def("empty_cache", [] { checked([] { host().empty_cache(); }); });
    m.def("record_event", record_event);
    m.def("event_ns", [](std::int64_t op, std::int64_t lane, std::int64_t seq) -> double {
        return checked([&] { return host().end_ns(event_of(op, lane, seq)); });
    });
    m.def("open_stream", [](std::int64_t number) -> std::int64_t {
        return checked([&] { return host().open_stream(small(number)); });
    });
    m.def("close_stream", [](std::int64_t stream) { host().close_stream(small(stream)); });
    m.def("default_stream", [](std::int64_t number) -> std::int64_t { return host().default_stream(small(number)); });
    m.def("current_stream", [](std::int64_t number) -> std::int64_t { return current_stream(small(number)); });
    m.def("gpu_of_stream", [](std::int64_t stream) -> std::int64_t { return host().device_of(small(stream)); });
    m.def("set_current_stream", [](std::int64_t stream) { set_current_stream(small(stream)); });
    m.def("stream_point",
          [](std::int64_t stream) -> std::int64_t { return checked([&] { return points().add(small(stream)); }); });
    m.def("release_point", [](std::int64_t point) { points().drop(point); });
    m.def("stream_wait", [](std::int64_t stream, std::int64_t point) {
        checked([&] { host().stream_wait(small(stream), points().at(point).get()); });
    });
    m.def("point_reached",
          [](std::int64_t point) -> bool { return checked([&] { return host().reached(points().at(point).get()); }); });
    m.def("wait_for_point", [](std::int64_t point, const std::string& name) {
        checked([&] { host().wait_for_point(points().at(point).get(), name.c_str()); });
    });
    m.def("waits", []() -> std::int64_t { return static_cast<std::int64_t>(host().waits()); });
    m.def("record_stream", [](const at::Tensor& t, std::int64_t stream) {
        if (Block* block = is_ours(t) ? block_of(t) : nullptr; block != nullptr) {
            checked([&] { host().record_stream(block, small(stream)); });
        }
    });
    m.def("count_cpu_ops", [] { count_cpu_ops(); });
    m.def("cpu_ops", []() -> std::vector<std::int64_t> { return cpu_ops(); });
    m.def("issue_counts", []() -> std::string { return issue_counts(); });
}

}  // namespace

}  // namespace headway::torch_module

namespace at {

// What ATen asks of CUDA elsewhere; a CPU-only build has nothing there. (In this namespace, as the registry's macro
// needs.)
struct HeadwayHooks final : CUDAHooksInterface {
    explicit HeadwayHooks(CUDAHooksArgs /*args*/) {}
    void initCUDA() const override {}
    bool hasCUDA() const override { return true; }
    bool hasPrimaryContext(int64_t /*device*/) const override { return true; }
    int64_t current_device() const override { return headway::torch_module::current_gpu(); }
    int getNumGPUs() const override { return static_cast<int>(headway::torch_module::host().devices()); }
    c10::Allocator* getPinnedMemoryAllocator() const override { return &headway::torch_module::pinned_allocator(); }
    void deviceSynchronize(int64_t device) const override {
        headway::torch_module::checked([&] {
            headway::torch_module::host().wait_for_device(static_cast<std::uint32_t>(device),
                                                          headway::torch_module::Blocker::synchronize, "synchronize");
        });
    }
};
C10_REGISTER_CLASS(CUDAHooksRegistry, CUDAHooks, HeadwayHooks)

}  // namespace at

// The runner has loaded the module after PyTorch; from here on, `host` answers.
extern "C" __attribute__((visibility("default"))) bool headway_torch_open(std::uint32_t abi,
                                                                          headway::torch_module::Host* host) {
    if (abi != headway::torch_module::kModuleAbi || host == nullptr) {
        return false;
    }
    headway::torch_module::set_host(host);
    headway::torch_module::follow_program();
    c10::SetAllocator(c10::DeviceType::CUDA, &headway::torch_module::device_allocator());
    return true;
}
