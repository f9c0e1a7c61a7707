#include "engine/devices/cuda/api.h"

#include <algorithm>
#include <bit>

namespace headway::devices::cuda {

void check(cudaError_t status, const char* call) {
    if (status != cudaSuccess) {
        throw CudaError(status == cudaErrorMemoryAllocation ? core::ErrorKind::out_of_memory : core::ErrorKind::failed,
                        std::string(call) + ": " + cudaGetErrorString(status));
    }
}

void check(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw CudaError(status == CUBLAS_STATUS_ALLOC_FAILED ? core::ErrorKind::out_of_memory : core::ErrorKind::failed,
                        std::string(call) + ": " + cublasGetStatusString(status));
    }
}

StreamOwner make_stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return StreamOwner(stream);
}

EventOwner make_event(unsigned flags) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
    return EventOwner(event);
}

DeviceMemory make_device_memory(std::size_t bytes) {
    void* data = nullptr;
    check(cudaMalloc(&data, bytes), "cudaMalloc");
    return DeviceMemory(data);
}

cudaEvent_t EventPool::take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
        all_.push_back(make_event(flags_));
        return all_.back().get();
    }
    const cudaEvent_t event = free_.back();
    free_.pop_back();
    return event;
}

void EventPool::give(cudaEvent_t event) {
    if (event != nullptr) {
        const std::lock_guard lock(mutex_);
        free_.push_back(event);
    }
}

void EventPool::abandon() {
    const std::lock_guard lock(mutex_);
    for (auto& event : all_) {
        static_cast<void>(event.release());
    }
    all_.clear();
    free_.clear();
}

PinnedPool::Block PinnedPool::take(std::size_t bytes) {
    const std::size_t size = std::bit_ceil(std::max<std::size_t>(bytes, 4096));
    const std::lock_guard lock(mutex_);
    auto& blocks = free_[size];
    if (blocks.empty()) {
        void* data = nullptr;
        check(cudaHostAlloc(&data, size, cudaHostAllocDefault), "cudaHostAlloc");
        all_.emplace_back(data);
        return {data, size};
    }
    void* data = blocks.back();
    blocks.pop_back();
    return {data, size};
}

void PinnedPool::give(Block block) {
    if (block.data != nullptr) {
        const std::lock_guard lock(mutex_);
        free_[block.bytes].push_back(block.data);
    }
}

void PinnedPool::abandon() {
    const std::lock_guard lock(mutex_);
    for (auto& block : all_) {
        static_cast<void>(block.release());
    }
    all_.clear();
    free_.clear();
}

}  // namespace headway::devices::cuda
