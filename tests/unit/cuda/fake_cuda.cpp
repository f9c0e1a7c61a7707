#include "tests/unit/cuda/fake_cuda.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "tests/simt/gpu.h"
#include "tests/simt/memory_check.h"
#include "tests/unit/cuda/fake_state.h"

void CUstream_st::run() {
    using headway::fake::changed, headway::fake::state;
    std::unique_lock lock(headway::fake::mutex);
    for (;;) {
        changed.wait(lock, [this] { return (!queue.empty() && state.held.count(number) == 0) || stop; });
        if (queue.empty()) {
            return;
        }
        auto work = std::move(queue.front());
        queue.pop_front();
        busy = true;
        lock.unlock();
        work();
        work = nullptr;
        lock.lock();
        busy = false;
        changed.notify_all();
    }
}

namespace headway::fake {

namespace {

// What becomes of problems of order. Kept by reset().
bool collects_problems = false;
bool races_are_allowed = std::getenv("HEADWAY_FAKE_CUDA_RACES") != nullptr;
std::vector<std::string>& problems = *new std::vector<std::string>;

void check_order(cudaStream_t stream, const Work& work) {
    const std::uint64_t op = external_ids.empty() ? 0 : external_ids.back();
    const std::string what = work.name + (op != 0 ? " of op " + std::to_string(op) : "");
    for (std::string& problem : state.order.launched(stream->number, what, work.accesses)) {
        if (collects_problems) {
            problems.push_back(std::move(problem));
        } else if (!races_are_allowed) {
            simt::stop(problem);
        }
    }
}

// What a kernel of one device does with the memory of another: the module copies it, and never accesses it.
void check_devices(cudaStream_t stream, const Work& work) {
    for (const Access& access : work.accesses) {
        if (const int device = device_of(access.data); device >= 0 && device != stream->device) {
            simt::stop(work.name + " on device " + std::to_string(stream->device) + " accesses memory of device " +
                       std::to_string(device));
        }
    }
}

// For a whole process, for tests that cannot call these functions: HEADWAY_FAKE_CUDA_GPUS calls set_device_count(),
// HEADWAY_FAKE_CUDA_FAULT calls fault_at_kernel(),
// HEADWAY_FAKE_CUDA_MEMORY calls set_memory(), HEADWAY_FAKE_CUDA_IGNORE_WAITS calls ignore_waits().
State from_environment() {
    State made;
    if (const char* fault = std::getenv("HEADWAY_FAKE_CUDA_FAULT")) {
        made.fault_in = std::atoi(fault);
    }
    if (const char* gpus = std::getenv("HEADWAY_FAKE_CUDA_GPUS")) {
        made.device_count = std::atoi(gpus);
    }
    if (const char* memory = std::getenv("HEADWAY_FAKE_CUDA_MEMORY")) {
        made.memory = std::strtoull(memory, nullptr, 10);
    }
    made.ignore_waits = std::getenv("HEADWAY_FAKE_CUDA_IGNORE_WAITS") != nullptr;
    return made;
}

}  // namespace

std::mutex& mutex = *new std::mutex;
std::condition_variable& changed = *new std::condition_variable;
State& state = *new State(from_environment());
CuptiState& cupti = *new CuptiState;
constinit thread_local int last_error = 0;
constinit thread_local int current_device = 0;
constinit thread_local int capturing = 0;
thread_local std::vector<std::uint64_t> external_ids;
thread_local std::vector<Access> next_accesses;

// --- work on streams ---

int enter(const std::string& name) {
    ++state.counts.calls;
    ++state.calls[name];
    int status = state.driver_status != 0 ? state.driver_status : state.sticky;
    if (status == 0) {
        if (const auto found = state.fail.find(name); found != state.fail.end() && --found->second.first == 0) {
            status = found->second.second;
            state.fail.erase(found);
        }
    }
    if (status != 0) {
        last_error = status;
    }
    return status;
}

int device_of(const void* data) {
    const auto after = state.device_blocks.upper_bound(const_cast<void*>(data));
    if (after == state.device_blocks.begin()) {
        return -1;
    }
    const auto& [begin, block] = *std::prev(after);
    return static_cast<const char*>(data) < static_cast<const char*>(begin) + block.bytes ? block.device : -1;
}

void push(cudaStream_t stream, std::function<void()> work) {
    stream->queue.push_back(std::move(work));
    changed.notify_all();
}

void wait_for_device(std::unique_lock<std::mutex>& lock) {
    const auto idle = [] {
        return std::all_of(state.streams.begin(), state.streams.end(),
                           [](const auto* stream) { return stream->idle(); });
    };
    changed.wait(lock, [&] { return idle() || state.sticky != 0; });
    state.order.host_knows_all();
}

void push_kernel(cudaStream_t stream, Work work, std::uint32_t correlation) {
    if (stream->capture != nullptr) {
        stream->capture->nodes.push_back(std::move(work));
        return;
    }
    ++state.counts.kernels;
    check_order(stream, work);
    if (work.name != "peer copy") {
        check_devices(stream, work);
    }
    const bool faults = state.fault_in > 0 && --state.fault_in == 0;
    const std::int64_t slow_ns = state.slow_in > 0 && --state.slow_in == 0 ? state.slow_ns : 0;
    const bool is_lost = state.lose_in > 0 && --state.lose_in == 0;
    const CUpti_ActivityKind kind =
        work.name == "peer copy" ? CUPTI_ACTIVITY_KIND_MEMCPY2 : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    const bool seen = cupti.enabled.count(kind) != 0 && !state.cupti_silent && !is_lost;
    correlation = correlation != 0 ? correlation : ++cupti.correlation;
    const std::uint64_t external = external_ids.empty() ? 0 : external_ids.back();
    push(stream, [=, run = std::move(work.run)] {
        std::uint64_t begin = 0;
        CUpti_TimestampCallbackFunc now = nullptr;
        {
            const std::lock_guard lock(mutex);
            if (state.sticky != 0) {
                return;
            }
            if (faults) {
                state.sticky = cudaErrorIllegalAddress;
                changed.notify_all();
                return;
            }
            now = seen ? cupti.now : nullptr;
        }
        begin = now != nullptr ? now() : 0;
        run();
        if (slow_ns > 0) {
            std::this_thread::sleep_for(std::chrono::nanoseconds(slow_ns));
        }
        if (now != nullptr) {
            CUpti_ActivityExternalCorrelation name{};
            name.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
            name.externalId = external;
            name.correlationId = correlation;
            CUpti_ActivityKernel9 kernel{};
            kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
            kernel.start = begin;
            kernel.end = now();
            kernel.correlationId = correlation;
            const std::lock_guard lock(mutex);
            cupti.records.emplace_back(name, kernel);
        }
    });
}

// --- controls for the tests ---

// Also removes what a lost device has left behind.
void reset() {
    std::set<cudaStream_t> left;
    {
        const std::lock_guard lock(mutex);
        state.held.clear();
        for (auto* stream : state.streams) {
            stream->stop = true;
        }
        left = state.streams;
        changed.notify_all();
    }
    for (auto* stream : left) {
        stream->thread.join();
        delete stream;
    }
    const std::lock_guard lock(mutex);
    for (auto* handle : state.handles) {
        delete handle;
    }
    for (auto* graph : state.graphs) {
        delete graph;
    }
    for (auto* exec : state.graph_execs) {
        delete exec;
    }
    for (const auto& [data, block] : state.device_blocks) {
        simt::remove_device_memory(data);
        std::free(data);
    }
    for (const auto& [data, bytes] : state.pinned_blocks) {
        std::free(data);
    }
    state = State();
    cupti.records.clear();
    cupti.waits.clear();
    cupti.memory.clear();
    last_error = 0;
}
void set_driver_status(int status) {
    const std::lock_guard lock(mutex);
    state.driver_status = status;
}
void set_device_count(int count) {
    const std::lock_guard lock(mutex);
    state.device_count = count;
}
void set_peers(bool can) {
    const std::lock_guard lock(mutex);
    state.peers = can;
}
void set_capability(int major, int minor) {
    const std::lock_guard lock(mutex);
    state.major = major;
    state.minor = minor;
}
void set_memory(std::uint64_t bytes) {
    const std::lock_guard lock(mutex);
    state.memory = bytes;
}
void set_cupti(bool there) {
    const std::lock_guard lock(mutex);
    state.cupti = there;
}
void set_cupti_silent(bool silent) {
    const std::lock_guard lock(mutex);
    state.cupti_silent = silent;
}
void lose_record(int nth) {
    const std::lock_guard lock(mutex);
    state.lose_in = nth;
}
void fail_call(const std::string& name, int nth, int status) {
    const std::lock_guard lock(mutex);
    state.fail[name] = {nth, status};
}
void fault_at_kernel(int nth) {
    const std::lock_guard lock(mutex);
    state.fault_in = nth;
}
void slow_kernel(int nth, std::int64_t ns) {
    const std::lock_guard lock(mutex);
    state.slow_in = nth;
    state.slow_ns = ns;
}
void ignore_waits(bool ignored) {
    const std::lock_guard lock(mutex);
    state.ignore_waits = ignored;
}
void ignore_wait(int nth) {
    const std::lock_guard lock(mutex);
    state.ignore_wait_in = nth;
}
void collect_order_problems() {
    const std::lock_guard lock(mutex);
    collects_problems = true;
}
std::vector<std::string> take_order_problems() {
    const std::lock_guard lock(mutex);
    return std::exchange(problems, {});
}
void hold_stream(int created, bool held) {
    const std::lock_guard lock(mutex);
    if (held) {
        state.held.insert(created);
    } else {
        state.held.erase(created);
    }
    changed.notify_all();
}
std::map<std::string, int> calls() {
    const std::lock_guard lock(mutex);
    return state.calls;
}
bool is_device_memory(const void* data) {
    const std::lock_guard lock(mutex);
    return device_of(data) >= 0;
}
bool failure_is_due() {
    const std::lock_guard lock(mutex);
    return !state.fail.empty();
}
Counts counts() {
    const std::lock_guard lock(mutex);
    return state.counts;
}

}  // namespace headway::fake
