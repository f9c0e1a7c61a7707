// Checked CUDA calls and owners of CUDA objects. Exceptions thrown here stay in this folder.
//
// Threads: any. CUDA keeps the last error per thread.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace headway::devices::cuda {

// A CUDA call failed: what() is "cudaMalloc: out of memory".
class CudaError : public std::runtime_error {
public:
    CudaError(core::ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    [[nodiscard]] core::ErrorKind kind() const { return kind_; }

private:
    core::ErrorKind kind_;
};

void check(cudaError_t status, const char* call);
void check(cublasStatus_t status, const char* call);

struct StreamCloser {
    void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
};
using StreamOwner = std::unique_ptr<CUstream_st, StreamCloser>;
struct EventCloser {
    void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
};
using EventOwner = std::unique_ptr<CUevent_st, EventCloser>;
struct BlasCloser {
    void operator()(cublasHandle_t handle) const noexcept { cublasDestroy(handle); }
};
using BlasOwner = std::unique_ptr<cublasContext, BlasCloser>;
struct GraphCloser {
    void operator()(cudaGraph_t graph) const noexcept { cudaGraphDestroy(graph); }
};
using GraphOwner = std::unique_ptr<CUgraph_st, GraphCloser>;
struct GraphExecCloser {
    void operator()(cudaGraphExec_t graph) const noexcept { cudaGraphExecDestroy(graph); }
};
using GraphExecOwner = std::unique_ptr<CUgraphExec_st, GraphExecCloser>;
struct DeviceFree {
    void operator()(void* data) const noexcept { cudaFree(data); }
};
using DeviceMemory = std::unique_ptr<void, DeviceFree>;
struct HostFree {
    void operator()(void* data) const noexcept { cudaFreeHost(data); }
};
using PinnedMemory = std::unique_ptr<void, HostFree>;

StreamOwner make_stream();  // does not synchronize with the legacy default stream
EventOwner make_event(unsigned flags);
DeviceMemory make_device_memory(std::size_t bytes);

// A pool of reusable events. Any thread.
class EventPool {
public:
    explicit EventPool(unsigned flags) : flags_(flags) {}
    [[nodiscard]] cudaEvent_t take();
    void give(cudaEvent_t event);
    void abandon();  // the device is lost: destroys nothing

private:
    const unsigned flags_;
    std::mutex mutex_;
    std::vector<EventOwner> all_;
    std::vector<cudaEvent_t> free_;
};

// A pool of reusable page-locked host memory; sizes are powers of two. Any thread.
class PinnedPool {
public:
    struct Block {
        void* data = nullptr;
        std::size_t bytes = 0;
    };
    [[nodiscard]] Block take(std::size_t bytes);
    void give(Block block);
    void abandon();

private:
    std::mutex mutex_;
    std::vector<PinnedMemory> all_;
    std::map<std::size_t, std::vector<void*>> free_;
};

}  // namespace headway::devices::cuda
