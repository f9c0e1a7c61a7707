#include "engine/devices/cuda/cupti.h"

#include <array>
#include <cstdlib>

#include "engine/core/clock.h"

namespace headway::devices::cuda {

namespace {

// Small, because CUPTI returns a buffer only when everything in it has finished: this one holds about 400 kernels.
constexpr std::size_t kBufferBytes = std::size_t{128} << 10;

constexpr std::array kKinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                               CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET,
                               CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};
constexpr int kMostLeft = 64;  // ids that an earlier device could not remove
// Other driver activity. If these kinds are not available, the ops' times are not affected.
constexpr std::array kMoreKinds = {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_MEMORY2};
// Ops are identified by the calls that start GPU work; no other calls are recorded, in particular not the polling.
constexpr std::array<CUpti_CallbackId, 6> kRuntimeCalls = {
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeerAsync_v4000, CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020};
constexpr std::array<CUpti_CallbackId, 3> kDriverCalls = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                                          CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch};

}  // namespace

// Never destroyed: CUPTI may call back during process exit.
Cupti& Cupti::instance() {
    static auto* instance = new Cupti;
    return *instance;
}

void Cupti::give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
    *bytes = *buffer != nullptr ? kBufferBytes : 0;
    *most_records = 0;  // as many as fit
}

void Cupti::take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t used) {
    Cupti& self = instance();
    self.times_.parse(self.api_.next_record, buffer, used);
    std::free(buffer);
}

std::uint64_t Cupti::now() {
    return static_cast<std::uint64_t>(core::monotonic_ns());
}

CUptiResult Cupti::enable_all() {
    for (const auto kind : kKinds) {
        if (const auto status = api_.enable(kind); status != CUPTI_SUCCESS) {
            return status;
        }
    }
    for (const auto kind : kMoreKinds) {
        static_cast<void>(api_.enable(kind));
    }
    if (api_.enable_runtime_api == nullptr || api_.enable_driver_api == nullptr) {
        return api_.enable(CUPTI_ACTIVITY_KIND_RUNTIME);
    }
    for (const auto call : kRuntimeCalls) {
        if (const auto status = api_.enable_runtime_api(call, 1); status != CUPTI_SUCCESS) {
            return status;
        }
    }
    for (const auto call : kDriverCalls) {
        if (const auto status = api_.enable_driver_api(call, 1); status != CUPTI_SUCCESS) {
            return status;
        }
    }
    return CUPTI_SUCCESS;
}

void Cupti::disable_all() {
    for (const auto kind : kKinds) {
        api_.disable(kind);
    }
    for (const auto kind : kMoreKinds) {
        api_.disable(kind);
    }
    if (api_.enable_runtime_api == nullptr || api_.enable_driver_api == nullptr) {
        api_.disable(CUPTI_ACTIVITY_KIND_RUNTIME);
        return;
    }
    for (const auto call : kRuntimeCalls) {
        api_.enable_runtime_api(call, 0);
    }
    for (const auto call : kDriverCalls) {
        api_.enable_driver_api(call, 0);
    }
}

core::Result<Cupti*> Cupti::start(const std::string& path) {
    Cupti& self = instance();
    if (self.users_ > 0) {
        ++self.users_;
        return &self;
    }
    if (!self.registered_) {
        auto api = load_cupti(path);
        if (!api) {
            return api.error();
        }
        self.api_ = *api;
        // Register the clock first, so that all timestamps are on the host's clock.
        auto status = self.api_.register_timestamps(now);
        if (status == CUPTI_SUCCESS) {
            status = self.api_.register_callbacks(give_buffer, take_buffer);
        }
        if (status != CUPTI_SUCCESS) {
            return core::Error{core::ErrorKind::unavailable,
                               "CUPTI gives no records (error " + std::to_string(static_cast<int>(status)) + ")"};
        }
        self.registered_ = true;
    }
    self.times_.clear();
    std::uint64_t left = 0;
    for (int i = 0;
         i < kMostLeft && self.api_.pop_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &left) == CUPTI_SUCCESS;
         ++i) {
    }
    if (const auto status = self.enable_all(); status != CUPTI_SUCCESS) {
        self.disable_all();
        return core::Error{core::ErrorKind::unavailable, "CUPTI gives no records (error " +
                                                             std::to_string(static_cast<int>(status)) +
                                                             "; another profiler or a debugger may use it)"};
    }
    self.users_ = 1;
    return &self;
}

// If the id cannot be removed, kNoOp is pushed on top of it: otherwise the next launches would be assigned to that op.
void Cupti::pop() {
    std::uint64_t last = 0;
    if (api_.pop_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last) != CUPTI_SUCCESS &&
        !push(ActivityTimes::kNoOp)) {
        times_.stop_joining();
    }
}

void Cupti::stop() {
    flush(true);
    if (--users_ == 0) {
        disable_all();
        times_.clear();
    }
}

void Cupti::flush(bool all) {
    const std::uint32_t flags = all ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0;
    if (api_.flush_all(flags) != CUPTI_SUCCESS) {
        api_.flush_all(flags);  // this one may be the last of the run
    }
    times_.age();
}

}  // namespace headway::devices::cuda
