// CUPTI, loaded when the device is made, so that a machine without it only loses precision.
//
// Threads: CUPTI calls back from threads of its own and from inside flush(). No lock of ours is held while it is
// called.
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
    // Null before CUDA 12.2 or so: then all calls of the runtime are recorded, instead of the launches alone.
    CUptiResult(CUPTIAPI* enable_runtime_api)(CUpti_CallbackId, std::uint8_t) = nullptr;
    CUptiResult(CUPTIAPI* enable_driver_api)(CUpti_CallbackId, std::uint8_t) = nullptr;
};

// The functions of libcupti at `path` (empty: the toolkit's), or why there are none. cupti_api.cpp; the tests' fake has
// its own.
core::Result<CuptiApi> load_cupti(const std::string& path);

// The one collector of activity records that a process can have.
class Cupti {
public:
    // Starts collecting; to be called before the process's first CUDA call. Fails in one sentence: no library, or a
    // profiler or debugger that has CUPTI for itself.
    static core::Result<Cupti*> start(const std::string& path);
    void stop();

    // What this thread launches until pop() belongs to op `id`.
    void push(std::uint64_t id) { api_.push_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id); }
    void pop() {
        std::uint64_t last = 0;
        api_.pop_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
    }

    // Takes in the buffers that are complete; with `all` also those with work in them that has not finished.
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
    ActivityTimes times_;
};

}  // namespace headway::devices::cuda
