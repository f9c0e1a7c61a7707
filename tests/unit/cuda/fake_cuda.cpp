#include "tests/unit/cuda/fake_cuda.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "engine/core/clock.h"
#include "engine/devices/cuda/cupti.h"
#include "engine/devices/cuda/launch.h"
#include "engine/devices/kernels/kernels.h"

using headway::core::monotonic_ns;

struct cublasContext {
    cudaStream_t stream = nullptr;
};

struct CUevent_st {
    std::uint64_t recorded = 0, done = 0;
    std::int64_t at_ns = 0;
};

struct CUgraph_st {
    std::vector<std::function<void()>> nodes;
};
struct CUgraphExec_st {
    std::vector<std::function<void()>> nodes;
};

namespace {

// One lock for everything: a fake need not be fast. Never destroyed: the stream threads of a lost device live until the
// process ends, like the work of a lost GPU.
std::mutex& mutex = *new std::mutex;
std::condition_variable& changed = *new std::condition_variable;

struct State {
    int driver_status = 0, device_count = 1, major = 9, minor = 0;
    std::uint64_t memory = std::uint64_t{8} << 30;
    bool cupti = true, cupti_silent = false, ignore_waits = false;
    int sticky = 0, fault_in = 0, streams_made = 0;
    std::map<std::string, std::pair<int, int>> fail;
    std::set<int> held;
    std::map<void*, std::size_t> device_blocks, pinned_blocks;
    std::set<cudaStream_t> streams;
    std::set<cudaEvent_t> events;
    std::set<cublasHandle_t> handles;
    std::set<cudaGraph_t> graphs;
    std::set<cudaGraphExec_t> graph_execs;
    headway::fake::Counts counts;
};
// Faults for a whole process, for tests that cannot call these functions: HEADWAY_FAKE_CUDA_FAULT calls
// fault_at_kernel(), HEADWAY_FAKE_CUDA_MEMORY calls set_memory().
State from_environment() {
    State made;
    if (const char* fault = std::getenv("HEADWAY_FAKE_CUDA_FAULT")) {
        made.fault_in = std::atoi(fault);
    }
    if (const char* memory = std::getenv("HEADWAY_FAKE_CUDA_MEMORY")) {
        made.memory = std::strtoull(memory, nullptr, 10);
    }
    return made;
}
State& state = *new State(from_environment());
thread_local int last_error = 0;
thread_local int capturing = 0;  // number of streams that this thread captures

}  // namespace

struct CUstream_st {
    int number;
    std::deque<std::function<void()>> queue;
    bool busy = false, stop = false;
    cudaGraph_t capture = nullptr;
    std::thread thread;

    explicit CUstream_st(int n) : number(n), thread([this] { run(); }) {}
    void run() {
        std::unique_lock lock(mutex);
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
    [[nodiscard]] bool idle() const { return queue.empty() && !busy; }
};

namespace {

// Called at the begin of each CUDA call: counts it, and fails it if a test asked for that.
int enter(const std::string& name) {
    ++state.counts.calls;
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

cudaError_t error(int status) {
    return static_cast<cudaError_t>(status);
}

void push(cudaStream_t stream, std::function<void()> work) {
    stream->queue.push_back(std::move(work));
    changed.notify_all();
}

// --- CUPTI ---

struct CuptiState {
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    CUpti_TimestampCallbackFunc now = nullptr;
    std::set<int> enabled;
    std::uint32_t correlation = 0;
    std::deque<std::pair<CUpti_ActivityExternalCorrelation, CUpti_ActivityKernel9>> records;
    std::deque<CUpti_ActivitySynchronization> waits;
    std::deque<CUpti_ActivityMemory3> memory;
};
CuptiState& cupti = *new CuptiState;
thread_local std::vector<std::uint64_t> external_ids;

// Puts work on a stream that counts as a kernel: it may fault, and CUPTI records it. Call with the lock held.
void push_kernel(cudaStream_t stream, std::function<void()> work, std::uint32_t correlation = 0) {
    if (stream->capture != nullptr) {
        stream->capture->nodes.push_back(std::move(work));
        return;
    }
    ++state.counts.kernels;
    const bool faults = state.fault_in > 0 && --state.fault_in == 0;
    const bool seen = cupti.enabled.count(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != 0 && !state.cupti_silent;
    correlation = correlation != 0 ? correlation : ++cupti.correlation;
    const std::uint64_t external = external_ids.empty() ? 0 : external_ids.back();
    push(stream, [=] {
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
        work();
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

CUptiResult cupti_timestamps(CUpti_TimestampCallbackFunc now) {
    const std::lock_guard lock(mutex);
    cupti.now = now;
    return CUPTI_SUCCESS;
}
CUptiResult cupti_callbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
    const std::lock_guard lock(mutex);
    cupti.request = request;
    cupti.complete = complete;
    return CUPTI_SUCCESS;
}
CUptiResult cupti_enable(CUpti_ActivityKind kind) {
    const std::lock_guard lock(mutex);
    cupti.enabled.insert(kind);
    return CUPTI_SUCCESS;
}
CUptiResult cupti_disable(CUpti_ActivityKind kind) {
    const std::lock_guard lock(mutex);
    cupti.enabled.erase(kind);
    return CUPTI_SUCCESS;
}
// Fills one buffer per three records, kernels before the ops that they belong to: any order must work.
CUptiResult cupti_flush(std::uint32_t) {
    std::unique_lock lock(mutex);
    auto records = std::exchange(cupti.records, {});
    auto waits = std::exchange(cupti.waits, {});
    auto memory = std::exchange(cupti.memory, {});
    const auto request = cupti.request;
    const auto complete = cupti.complete;
    lock.unlock();
    while (!records.empty()) {
        std::uint8_t* buffer = nullptr;
        std::size_t size = 0;
        std::size_t most = 0;
        request(&buffer, &size, &most);
        std::size_t used = 0;
        const std::size_t count = std::min<std::size_t>(records.size(), 3);
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(buffer + used, &records[i].second, sizeof records[i].second);
            used += sizeof records[i].second;
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (records[i].first.externalId != 0) {
                std::memcpy(buffer + used, &records[i].first, sizeof records[i].first);
                used += sizeof records[i].first;
            }
        }
        records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count));
        complete(nullptr, 0, buffer, size, used);
    }
    const auto hand_over = [&](const auto& all) {
        for (const auto& record : all) {
            std::uint8_t* buffer = nullptr;
            std::size_t size = 0;
            std::size_t most = 0;
            request(&buffer, &size, &most);
            std::memcpy(buffer, &record, sizeof record);
            complete(nullptr, 0, buffer, size, sizeof record);
        }
    };
    hand_over(waits);
    hand_over(memory);
    return CUPTI_SUCCESS;
}
CUptiResult cupti_next(std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record) {
    const auto size_of = [](const CUpti_Activity& r) {
        return r.kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION ? sizeof(CUpti_ActivityExternalCorrelation)
               : r.kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION    ? sizeof(CUpti_ActivitySynchronization)
               : r.kind == CUPTI_ACTIVITY_KIND_MEMORY2            ? sizeof(CUpti_ActivityMemory3)
                                                                  : sizeof(CUpti_ActivityKernel9);
    };
    std::size_t at = 0;
    if (*record != nullptr) {
        at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - buffer) + size_of(**record);
    }
    if (at >= bytes) {
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    }
    *record = reinterpret_cast<CUpti_Activity*>(buffer + at);
    return CUPTI_SUCCESS;
}
CUptiResult cupti_push(CUpti_ExternalCorrelationKind, std::uint64_t id) {
    external_ids.push_back(id);
    return CUPTI_SUCCESS;
}
CUptiResult cupti_pop(CUpti_ExternalCorrelationKind, std::uint64_t* id) {
    *id = external_ids.back();
    external_ids.pop_back();
    return CUPTI_SUCCESS;
}
CUptiResult cupti_call(CUpti_CallbackId, std::uint8_t) {
    return CUPTI_SUCCESS;
}

}  // namespace

namespace headway::devices::cuda {

core::Result<CuptiApi> load_cupti(const std::string&) {
    const std::lock_guard lock(mutex);
    if (!state.cupti) {
        return core::Error{core::ErrorKind::unavailable, "libcupti is not there"};
    }
    return CuptiApi{cupti_timestamps, cupti_callbacks, cupti_enable, cupti_disable, cupti_flush,
                    cupti_next,       cupti_push,      cupti_pop,    cupti_call,    cupti_call};
}

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

// --- the CUDA runtime ---

#define ENTER(name)                        \
    const std::lock_guard lock(mutex);     \
    if (const int status_ = enter(name)) { \
        return error(status_);             \
    }

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

// --- cuBLAS ---

const char* cublasGetStatusString(cublasStatus_t) {
    return "a cuBLAS error";
}
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    const std::lock_guard lock(mutex);
    if (enter("cublasCreate") != 0) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    *handle = new cublasContext;
    state.handles.insert(*handle);
    ++state.counts.handles;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    const std::lock_guard lock(mutex);
    --state.counts.handles;
    state.handles.erase(handle);
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void* workspace, std::size_t bytes) {
    return workspace != nullptr && bytes != 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t mode) {
    const std::lock_guard lock(mutex);
    state.counts.tf32 = mode == CUBLAS_TF32_TENSOR_OP_MATH;
    return CUBLAS_STATUS_SUCCESS;
}
// Runs as two kernels, as in a real library: the first computes, the second scales by one.
cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                              int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                              const float* beta, float* c, int ldc) {
    const std::lock_guard lock(mutex);
    if (enter("cublasSgemm") != 0) {
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    if (*alpha != 1.0f || *beta != 0.0f || ldc < m || lda < (op_a == CUBLAS_OP_N ? m : k) ||
        ldb < (op_b == CUBLAS_OP_N ? k : n)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    push_kernel(handle->stream, [=] {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
                double sum = 0;
                for (int p = 0; p < k; ++p) {
                    sum += static_cast<double>(op_a == CUBLAS_OP_N ? a[i + p * lda] : a[p + i * lda]) *
                           static_cast<double>(op_b == CUBLAS_OP_N ? b[p + j * ldb] : b[j + p * ldb]);
                }
                c[i + j * ldc] = static_cast<float>(sum);
            }
        }
    });
    push_kernel(handle->stream, [] {});
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"

// --- controls for the tests ---

namespace headway::fake {

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
    for (auto* event : state.events) {
        delete event;
    }
    for (auto* handle : state.handles) {
        delete handle;
    }
    for (auto* graph : state.graphs) {
        delete graph;
    }
    for (auto* exec : state.graph_execs) {
        delete exec;
    }
    for (const auto& [data, bytes] : state.device_blocks) {
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
void fail_call(const std::string& name, int nth, int status) {
    const std::lock_guard lock(mutex);
    state.fail[name] = {nth, status};
}
void fault_at_kernel(int nth) {
    const std::lock_guard lock(mutex);
    state.fault_in = nth;
}
void ignore_waits(bool ignored) {
    const std::lock_guard lock(mutex);
    state.ignore_waits = ignored;
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
Counts counts() {
    const std::lock_guard lock(mutex);
    return state.counts;
}

}  // namespace headway::fake
