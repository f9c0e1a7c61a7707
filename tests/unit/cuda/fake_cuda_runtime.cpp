// The fake's CUDA runtime: memory, streams, events, kernels, graphs.
#include <cstdlib>
#include <cstring>

#include "engine/core/clock.h"
#include "engine/devices/cuda/launch.h"
#include "engine/devices/kernels/kernels.h"
#include "tests/unit/cuda/fake_state.h"

using headway::core::monotonic_ns;
using namespace headway::fake;

namespace {

cudaError_t error(int status) {
    return static_cast<cudaError_t>(status);
}

}  // namespace

#define ENTER(name)                        \
    const std::lock_guard lock(mutex);     \
    if (const int status_ = enter(name)) { \
        return error(status_);             \
    }

namespace headway::devices::cuda {

cudaError_t launch_nothing(cudaStream_t stream) {
    const std::lock_guard lock(mutex);
    if (const int status = enter("launch")) {
        return error(status);
    }
    push_kernel(stream, [] {});
    return cudaSuccess;
}

cudaError_t launch_op(const Signature& signature, const Command& command, Scratch scratch, cudaStream_t stream) {
    const std::lock_guard lock(mutex);
    if (const int status = enter("launch")) {
        return error(status);
    }
    if (scratch.data == nullptr || scratch.elements == 0) {
        return cudaErrorInvalidValue;
    }
    push_kernel(stream, [&signature, command] { kernels::kernel_for(signature.kind)(signature, command); });
    return cudaSuccess;
}

}  // namespace headway::devices::cuda

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
    std::strcpy(properties->name, "Fake GPU");
    properties->major = state.major;
    properties->minor = state.minor;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
    ENTER("cudaSetDevice");
    return cudaSuccess;
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
    *stream = new CUstream_st(state.streams_made++);
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
    return stream->idle() ? cudaSuccess : cudaErrorNotReady;
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
    changed.wait(lock, [&] { return stream->idle() || state.sticky != 0; });
    if (cupti.enabled.count(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) != 0) {
        record.end = static_cast<std::uint64_t>(monotonic_ns());
        cupti.waits.push_back(record);
    }
    return error(state.sticky);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    ENTER("cudaStreamWaitEvent");
    ++state.counts.stream_waits;
    if (!state.ignore_waits) {
        push(stream, [event, wanted = event->recorded] {
            std::unique_lock inner(mutex);
            changed.wait(inner, [&] { return event->done >= wanted || state.sticky != 0; });
        });
    }
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    ENTER("cudaEventCreateWithFlags");
    *event = new CUevent_st;
    state.events.insert(*event);
    ++state.counts.events;
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    const std::lock_guard lock(mutex);
    --state.counts.events;
    state.events.erase(event);
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    ENTER("cudaEventRecord");
    push(stream, [event, recorded = ++event->recorded] {
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
    changed.wait(lock, [&] { return event->done >= event->recorded || state.sticky != 0; });
    return error(state.sticky);
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
    ENTER("cudaEventElapsedTime");
    *ms = static_cast<float>(static_cast<double>(end->at_ns - begin->at_ns) / 1e6);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
    ENTER("cudaMalloc");
    if (capturing != 0) {
        last_error = cudaErrorStreamCaptureUnsupported;
        return cudaErrorStreamCaptureUnsupported;
    }
    if (state.counts.device_bytes + bytes > state.memory) {
        last_error = cudaErrorMemoryAllocation;
        return cudaErrorMemoryAllocation;
    }
    *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(*data, 0, bytes);
    state.device_blocks[*data] = bytes;
    if (cupti.enabled.count(CUPTI_ACTIVITY_KIND_MEMORY2) != 0) {
        CUpti_ActivityMemory3 record{};
        record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
        record.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
        record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
        record.bytes = bytes;
        record.timestamp = static_cast<std::uint64_t>(monotonic_ns());
        cupti.memory.push_back(record);
    }
    state.counts.device_bytes += bytes;
    return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
    ENTER("cudaFree");
    const auto found = state.device_blocks.find(data);
    if (found == state.device_blocks.end()) {
        return cudaErrorInvalidValue;
    }
    state.counts.device_bytes -= found->second;
    state.device_blocks.erase(found);
    std::free(data);
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
    ENTER("cudaHostAlloc");
    *data = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    state.pinned_blocks[*data] = bytes;
    state.counts.pinned_bytes += bytes;
    ++state.counts.pinned_blocks;
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
    ENTER("cudaFreeHost");
    state.counts.pinned_bytes -= state.pinned_blocks[data];
    state.pinned_blocks.erase(data);
    std::free(data);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    ENTER("cudaMemcpyAsync");
    push_kernel(stream, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    ENTER("cudaMemsetAsync");
    push_kernel(stream, [=] { std::memset(to, value, bytes); });
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

// --- graphs ---

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    ENTER("cudaStreamBeginCapture");
    stream->capture = new CUgraph_st;
    state.graphs.insert(stream->capture);
    ++state.counts.graphs;
    ++state.counts.captures;
    ++capturing;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    const std::lock_guard lock(mutex);
    --capturing;
    *graph = std::exchange(stream->capture, nullptr);
    return error(enter("cudaStreamEndCapture"));
}
#undef cudaStreamGetCaptureInfo
#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long*,
                                     cudaGraph_t* graph, const cudaGraphNode_t**, const cudaGraphEdgeData**,
                                     std::size_t*) {
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long*,
                                        cudaGraph_t* graph, const cudaGraphNode_t**, std::size_t*) {
#endif
    ENTER("cudaStreamGetCaptureInfo");
    *status = stream->capture != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    *graph = stream->capture;
    return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, std::size_t* count) {
    ENTER("cudaGraphGetNodes");
    *count = graph->nodes.size();
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    const std::lock_guard lock(mutex);
    --state.counts.graphs;
    state.graphs.erase(graph);
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
    ENTER("cudaGraphInstantiate");
    *exec = new CUgraphExec_st{graph->nodes};
    state.graph_execs.insert(*exec);
    ++state.counts.graph_execs;
    return cudaSuccess;
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo*) {
    ENTER("cudaGraphExecUpdate");
    if (exec->nodes.size() != graph->nodes.size()) {
        last_error = cudaErrorGraphExecUpdateFailure;
        return cudaErrorGraphExecUpdateFailure;
    }
    exec->nodes = graph->nodes;
    ++state.counts.graph_updates;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    const std::lock_guard lock(mutex);
    --state.counts.graph_execs;
    state.graph_execs.erase(exec);
    delete exec;
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    ENTER("cudaGraphLaunch");
    ++state.counts.graph_launches;
    const std::uint32_t correlation = ++cupti.correlation;  // one for all kernels of the graph
    for (const auto& node : exec->nodes) {
        push_kernel(stream, node, correlation);
    }
    return cudaSuccess;
}

}  // extern "C"
