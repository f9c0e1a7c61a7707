// Ops on CPU tensors are PyTorch's own: the frontend computes them, and they are not ops of the run. They are counted
// in a program that does not use the device, so that a run without ops can say what its time was spent on.
#include <ATen/record_function.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>

#include "app/runner/torch/device.h"

namespace headway::torch_module {

namespace {

using Clock = std::chrono::steady_clock;

std::mutex counting_mutex;
at::CallbackHandle handle = 0;
std::atomic<bool> complete{false};
std::atomic<std::uint64_t> count{0};
std::atomic<std::int64_t> total_ns{0};

// Only the frontend's thread counts, and an op within another one is part of it.
thread_local bool counts = false;
thread_local int depth = 0;
thread_local Clock::time_point begun;

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& /*function*/) {
    if (counts && depth++ == 0) {
        begun = Clock::now();
    }
    return nullptr;
}
void end(const at::RecordFunction& function, at::ObserverContext* /*context*/) {
    if (counts && depth > 0 && --depth == 0 && std::strncmp(function.name(), "headway::", 9) != 0) {
        count.fetch_add(1, std::memory_order_relaxed);
        total_ns.fetch_add(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun).count(),
                           std::memory_order_relaxed);
    }
}

}  // namespace

void count_cpu_ops() {
    const std::lock_guard lock(counting_mutex);
    counts = true;
    complete = true;
    handle = at::addGlobalCallback(at::RecordFunctionCallback(&begin, &end).scopes({at::RecordScope::FUNCTION}));
    cpu_ops_counted = true;
}

void stop_counting_cpu_ops() {
    const std::lock_guard lock(counting_mutex);
    if (cpu_ops_counted) {
        cpu_ops_counted = false;
        complete = false;
        at::removeCallback(handle);
    }
}

std::vector<std::int64_t> cpu_ops() {
    if (!complete) {
        return {};
    }
    return {static_cast<std::int64_t>(count.load()), host().virtual_time() ? 0 : total_ns.load()};
}

}  // namespace headway::torch_module
