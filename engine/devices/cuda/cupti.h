// CUPTI, loaded when the device is made, so that a computer without it only loses precision.
//
// Threads: CUPTI calls back from its own threads and from within flush(). Call it without holding a lock.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>

#include "engine/core/result.h"
#include "engine/devices/cuda/activity.h"

namespace headway::devices::cuda {

struct CuptiApi {
    decltype(&::cuptiActivityRegisterTimestampCallback) register_timestamps = nullptr;
    decltype(&::cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
    decltype(&::cuptiActivityEnable) enable = nullptr;
    decltype(&::cuptiActivityDisable) disable = nullptr;
    decltype(&::cuptiActivityFlushAll) flush_all = nullptr;
    decltype(&::cuptiActivityGetNextRecord) next_record = nullptr;
    decltype(&::cuptiActivityPushExternalCorrelationId) push_external = nullptr;
    decltype(&::cuptiActivityPopExternalCorrelationId) pop_external = nullptr;
    // Null before about CUDA 12.2: then all calls of the runtime API are recorded, not only launches.
    CUptiResult(CUPTIAPI* enable_runtime_api)(CUpti_CallbackId, std::uint8_t) = nullptr;
    CUptiResult(CUPTIAPI* enable_driver_api)(CUpti_CallbackId, std::uint8_t) = nullptr;
};

// Loads the functions of libcupti from `path` (empty: the toolkit's), or fails with the reason. Implemented in
// cupti_api.cpp; the tests link a fake instead.
core::Result<CuptiApi> load_cupti(const std::string& path);

// Collects activity records; a process can have only one collector, which the GPUs of a run share.
class Cupti {
public:
    // Starts collecting, unless it does so already; call before the process's first CUDA call. Fails with one sentence:
    // no library, or another profiler or debugger uses CUPTI.
    static core::Result<Cupti*> start(const std::string& path);
    // Call once for each start(). The last one stops it.
    void stop();

    // Assigns everything that this thread launches until pop() to op `id`. If it fails, do not call pop().
    [[nodiscard]] bool push(std::uint64_t id) {
        return api_.push_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id) == CUPTI_SUCCESS;
    }
    void pop();

    // Parses the completed buffers; with `all` also buffers with unfinished work in them.
    void flush(bool all);
    [[nodiscard]] ActivityTimes& times() { return times_; }

private:
    Cupti() = default;
    static Cupti& instance();
    static void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records);
    static void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                                     std::size_t used);
    static std::uint64_t CUPTIAPI now();
    CUptiResult enable_all();
    void disable_all();

    CuptiApi api_;
    bool registered_ = false;
    int users_ = 0;
    ActivityTimes times_;
};

}  // namespace headway::devices::cuda
