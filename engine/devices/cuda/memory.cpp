// GPU memory: blocks for the runtime's pool, the lazy policy, and copies of values to the host.
#include <algorithm>
#include <cstring>

#include "engine/devices/cuda/cuda_device.h"
#include "engine/devices/cuda/host_work.h"
#include "engine/devices/lazy_operands.h"

namespace headway::devices::cuda {

namespace {

constexpr std::size_t kReadChunk = std::size_t{4} << 20;

// What allocate() returns once the device is lost. Nothing is launched any more, so it is never accessed, and the
// program sees the loss at its next wait instead of a false out-of-memory error.
void* const kNowhere = reinterpret_cast<void*>(std::uintptr_t{1} << 12);

}  // namespace

void CudaDevice::use_device() const {
    thread_local int current = -1;
    if (current != options_.device && !lost()) {
        current = cudaSetDevice(options_.device) == cudaSuccess ? options_.device : -1;
        if (current == -1) {
            cudaGetLastError();  // tried again at the next call; until then calls fail with their own errors
        }
    }
}

void CudaDevice::count_reserved(std::int64_t bytes) {
    reserved_.fetch_add(static_cast<std::uint64_t>(bytes), std::memory_order_relaxed);
    recording_.count_reserved(bytes, number());
}

// The runtime's pool caches blocks by size and lane, so no second cache is needed here.
void* CudaDevice::allocate(std::size_t bytes) {
    if (lost()) {
        return kNowhere;
    }
    use_device();
    void* data = nullptr;
    const auto status = cudaMalloc(&data, bytes);
    if (status == cudaSuccess) {
        count_reserved(static_cast<std::int64_t>(bytes));
        return data;
    }
    cudaGetLastError();
    if (status == cudaErrorMemoryAllocation) {
        return nullptr;
    }
    lose(0, std::string("cudaMalloc: ") + cudaGetErrorString(status));
    return kNowhere;
}

void CudaDevice::deallocate(void* data, std::size_t bytes) {
    if (data == nullptr || lost()) {
        return;
    }
    use_device();
    cudaFree(data);  // waits for the whole device, but the pool frees blocks only when memory is short and at the end
    cudaGetLastError();
    count_reserved(-static_cast<std::int64_t>(bytes));
}

void CudaDevice::read(float* host, const float* device, std::size_t elements) {
    if (lost()) {
        return;  // the caller checks poison()
    }
    use_device();
    try {
        const std::size_t chunk = options_.pinned ? kReadChunk / sizeof(float) : elements;
        PinnedPool::Block staging;
        if (options_.pinned) {
            staging = pinned_.take(std::min(elements * sizeof(float), kReadChunk));
        }
        for (std::size_t at = 0; at < elements; at += chunk) {
            const std::size_t bytes = std::min(chunk, elements - at) * sizeof(float);
            void* to = options_.pinned ? staging.data : host + at;
            check(cudaMemcpyAsync(to, device + at, bytes, cudaMemcpyDeviceToHost, copies_.get()), "cudaMemcpyAsync");
            check(cudaStreamSynchronize(copies_.get()), "cudaStreamSynchronize");
            if (options_.pinned) {
                std::memcpy(host + at, staging.data, bytes);
            }
        }
        pinned_.give(staging);
    } catch (const CudaError& error) {
        cudaGetLastError();
        lose(0, error.what());  // values that cannot be read count as lost
    }
}

// --- the lazy policy ---
//
// The launch is the host's best approximation of an op's start, and stream order is lane order: a block freed in a lane
// can be used by the next op launched in it, wherever the GPU is. So the bytes in use at an op equal those that the CPU
// device counts at the same op.

bool CudaDevice::take_lazily(Lane& lane, Command& command) {
    find_lazy_inputs(*this, command);
    if (command.out != nullptr || command.out_id == 0) {
        return true;
    }
    command.out =
        (command.flags & kOutOnCpu) != 0 ? cpu_peer()->take_lazily_for(command) : take_lazily_from(&lane, command);
    return command.out != nullptr;
}

// `nullptr`: no lane of the other device reuses the GPU's freed blocks.
float* CudaDevice::take_lazily_for(const Command& command) {
    return take_lazily_from(nullptr, command);
}

float* CudaDevice::take_lazily_from(Lane* lane, const Command& command) {
    if (float* data = lazy_data(command.out_id); data != nullptr) {
        return data;
    }
    const std::uint64_t bytes = command.signature->out_bytes;
    const auto budget = lazy_budget_.load(std::memory_order_relaxed);
    const auto live = lazy_bytes_.load(std::memory_order_relaxed);
    float* data = nullptr;
    if (budget == 0 || live + bytes <= budget) {
        if (auto* own = lane != nullptr ? &lane->lazy_free[bytes] : nullptr; own != nullptr && !own->empty()) {
            data = own->back();
            own->pop_back();
        } else {
            data = static_cast<float*>(allocate(std::max<std::size_t>(bytes, 1)));
            if (data == nullptr) {
                give_back_lazy_blocks();
                data = static_cast<float*>(allocate(std::max<std::size_t>(bytes, 1)));
            }
        }
    }
    if (lost()) {
        return nullptr;  // what allocate() then returns is no memory; all buffers are spoiled already
    }
    if (data == nullptr) {
        fail_without_memory(*this, command, live, budget);
        return nullptr;
    }
    const std::lock_guard lock(lazy_mutex_);
    lazy_[command.out_id] = {data, bytes};
    lazy_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return data;
}

void CudaDevice::free_lazily(Lane& lane, core::BufferId buffer) {
    const std::lock_guard lock(lazy_mutex_);
    if (const auto found = lazy_.find(buffer); found != lazy_.end()) {
        lazy_bytes_.fetch_sub(found->second.bytes, std::memory_order_relaxed);
        lane.lazy_free[found->second.bytes].push_back(found->second.data);
        lazy_.erase(found);
    }
}

// cudaFree waits until the block is no longer in use.
void CudaDevice::give_back_lazy_blocks() {
    for (auto& lane : lanes_) {
        for (auto& [bytes, blocks] : lane->lazy_free) {
            for (float* data : blocks) {
                deallocate(data, std::max<std::uint64_t>(bytes, 1));
            }
        }
        lane->lazy_free.clear();
    }
}

float* CudaDevice::lazy_data(core::BufferId buffer) {
    const std::lock_guard lock(lazy_mutex_);
    const auto found = lazy_.find(buffer);
    return found != lazy_.end() ? found->second.data : nullptr;
}

}  // namespace headway::devices::cuda
