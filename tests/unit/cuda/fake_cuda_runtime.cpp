// The fake's CUDA runtime: devices, streams, events, host functions, kernels.
#include <algorithm>
#include <cstring>

#include "engine/core/clock.h"
#include "tests/simt/gpu.h"
#include "tests/unit/cuda/fake_state.h"

using headway::core::monotonic_ns;
using namespace headway::fake;

namespace {

cudaError_t error(int status) {
    return static_cast<cudaError_t>(status);
}

// The call fails, and cudaGetLastError() will say so, too.
cudaError_t fails(cudaError_t status) {
    last_error = status;
    return status;
}

}  // namespace

namespace headway::simt {

// Kernels are those of engine/devices/cuda/kernels.cu (tests/simt/gpu.h). A launch that fails is seen by the next
// cudaGetLastError().
void submit(const Launch& launch) {
    const std::lock_guard lock(mutex);
    if (launch.grid.stream->device != current_device) {
        last_error = cudaErrorInvalidResourceHandle;  // a stream of another device
    } else if (enter("launch") == 0) {
        push_kernel(launch.grid.stream, {launch.name, [launch] { run(launch); }, next_accesses});
    }
}

}  // namespace headway::simt

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    ENTER("cudaGetDeviceCount");
    *count = state.device_count;
    return state.device_count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = 11040;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    ENTER("cudaGetDeviceProperties");
    *properties = {};
    std::strcpy(properties->name, "Emulated GPU (CPU threads)");
    properties->major = state.major;
    properties->minor = state.minor;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    ENTER("cudaSetDevice");
    if (device < 0 || device >= state.device_count) {
        return fails(cudaErrorInvalidDevice);
    }
    current_device = device;
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    ENTER("cudaDeviceCanAccessPeer");
    if (device == peer || std::max(device, peer) >= state.device_count) {
        return fails(cudaErrorInvalidDevice);
    }
    *can = state.peers ? 1 : 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
    ENTER("cudaDeviceEnablePeerAccess");
    if (!state.peers || peer == current_device) {
        return fails(cudaErrorInvalidDevice);
    }
    return state.peer_access.emplace(current_device, peer).second ? cudaSuccess
                                                                  : fails(cudaErrorPeerAccessAlreadyEnabled);
}
const char* cudaGetErrorString(cudaError_t status) {
    return status == cudaErrorMemoryAllocation ? "out of memory"
           : status == cudaErrorIllegalAddress ? "an illegal memory access was encountered"
                                               : "some other error";
}
cudaError_t cudaGetLastError() {
    const std::lock_guard lock(mutex);
    return error(state.sticky != 0 ? state.sticky : std::exchange(last_error, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    ENTER("cudaStreamCreateWithFlags");
    *stream = new CUstream_st(state.streams_made++, current_device);
    state.streams.insert(*stream);
    ++state.counts.streams;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    {
        const std::lock_guard lock(mutex);
        stream->stop = true;
        state.streams.erase(stream);
        --state.counts.streams;
        changed.notify_all();
    }
    stream->thread.join();
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    ENTER("cudaStreamQuery");
    if (!stream->idle()) {
        return cudaErrorNotReady;
    }
    state.order.host_knows_stream(stream->number);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    std::unique_lock lock(mutex);
    ++state.counts.waits_on_host;
    if (const int status = enter("cudaStreamSynchronize")) {
        return error(status);
    }
    CUpti_ActivitySynchronization record{};
    record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    record.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    record.start = static_cast<std::uint64_t>(monotonic_ns());
    const Clock order = state.order.of_stream(stream->number);
    changed.wait(lock, [&] { return stream->idle() || state.sticky != 0; });
    state.order.host_knows(order);
    if (cupti.enabled.count(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) != 0) {
        record.end = static_cast<std::uint64_t>(monotonic_ns());
        cupti.waits.push_back(record);
    }
    return error(state.sticky);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    ENTER("cudaStreamWaitEvent");
    ++state.counts.stream_waits;
    const bool ignored = state.ignore_waits || (state.ignore_wait_in > 0 && --state.ignore_wait_in == 0);
    if (!ignored) {
        state.counts.repeated_waits += state.order.stream_waits(stream->number, event->order) ? 0 : 1;
        push(stream, [event = event->shared_from_this(), wanted = event->recorded] {
            std::unique_lock inner(mutex);
            changed.wait(inner, [&] { return event->done >= wanted || state.sticky != 0; });
        });
    }
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    ENTER("cudaEventCreateWithFlags");
    const auto made = std::make_shared<CUevent_st>();
    made->device = current_device;
    *event = made.get();
    state.events.emplace(made.get(), made);
    ++state.counts.events;
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    const std::lock_guard lock(mutex);
    --state.counts.events;
    state.events.erase(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    ENTER("cudaEventRecord");
    if (event->device != stream->device) {
        return fails(cudaErrorInvalidResourceHandle);
    }
    event->order = state.order.of_stream(stream->number);
    push(stream, [event = event->shared_from_this(), recorded = ++event->recorded] {
        const std::lock_guard inner(mutex);
        if (state.sticky == 0) {
            event->done = recorded;
            event->at_ns = monotonic_ns();
            changed.notify_all();
        }
    });
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    ENTER("cudaEventQuery");
    if (event->done >= event->recorded) {
        state.order.host_knows(event->order);
        return cudaSuccess;
    }
    last_error = cudaErrorNotReady;
    return cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    std::unique_lock lock(mutex);
    if (const int status = enter("cudaEventSynchronize")) {
        return error(status);
    }
    const Clock order = event->order;
    changed.wait(lock, [&] { return event->done >= event->recorded || state.sticky != 0; });
    state.order.host_knows(order);
    return error(state.sticky);
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
    ENTER("cudaEventElapsedTime");
    if (begin->device != end->device) {
        return fails(cudaErrorInvalidResourceHandle);
    }
    *ms = static_cast<float>(static_cast<double>(end->at_ns - begin->at_ns) / 1e6);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    ENTER("cudaLaunchHostFunc");
    push(stream, [=] {
        {
            const std::lock_guard inner(mutex);
            if (state.sticky != 0) {
                return;
            }
        }
        function(data);
    });
    return cudaSuccess;
}

}  // extern "C"
