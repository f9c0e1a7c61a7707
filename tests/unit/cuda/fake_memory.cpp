// The fake's memory and copies, with the rules of CUDA: what is device memory, page-locked or pageable decides whether
// a copy is asynchronous.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "engine/core/clock.h"
#include "tests/simt/memory_check.h"
#include "tests/unit/cuda/fake_state.h"

using headway::core::monotonic_ns;
using namespace headway::fake;

namespace {

// Page-locked and device memory are known; all other memory is pageable.
enum class Place { device, pinned, pageable, beyond };

std::size_t size_of(std::size_t bytes) {
    return bytes;
}
std::size_t size_of(const DeviceBlock& block) {
    return block.bytes;
}

template <class Block>
Place place_in(const std::map<void*, Block>& blocks, Place place, const void* data, std::size_t bytes) {
    const auto after = blocks.upper_bound(const_cast<void*>(data));
    if (after == blocks.begin()) {
        return Place::pageable;
    }
    const auto& [begin, block] = *std::prev(after);
    const std::size_t size = size_of(block);
    const auto at = static_cast<std::size_t>(static_cast<const char*>(data) - static_cast<const char*>(begin));
    return at >= size ? Place::pageable : at + bytes > size ? Place::beyond : place;
}

Place place_of(const void* data, std::size_t bytes) {
    const Place place = place_in(state.device_blocks, Place::device, data, bytes);
    return place != Place::pageable ? place : place_in(state.pinned_blocks, Place::pinned, data, bytes);
}

// Of exactly this size, so that the address sanitizer sees what lies after it.
void* allocated(std::size_t bytes) {
    void* data = nullptr;
    if (posix_memalign(&data, 256, bytes != 0 ? bytes : 1) != 0) {
        std::abort();
    }
    return data;
}

bool allowed(cudaMemcpyKind kind, Place from, Place to) {
    if (from == Place::beyond || to == Place::beyond) {
        return false;
    }
    const bool from_device = from == Place::device;
    const bool to_device = to == Place::device;
    return kind == cudaMemcpyHostToDevice     ? !from_device && to_device
           : kind == cudaMemcpyDeviceToHost   ? from_device && !to_device
           : kind == cudaMemcpyDeviceToDevice ? from_device && to_device
           : kind == cudaMemcpyHostToHost     ? !from_device && !to_device
                                              : true;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
    ENTER("cudaMalloc");
    if (capturing != 0) {
        last_error = cudaErrorStreamCaptureUnsupported;
        return cudaErrorStreamCaptureUnsupported;
    }
    std::uint64_t& used = state.used[current_device];
    if (used + bytes > state.memory) {
        last_error = cudaErrorMemoryAllocation;
        return cudaErrorMemoryAllocation;
    }
    *data = allocated(bytes);
    std::memset(*data, 0xff, std::min(bytes, std::size_t{1} << 18));  // undefined at first; this is NaN
    state.device_blocks[*data] = {bytes, current_device};
    used += bytes;
    headway::simt::add_device_memory(*data, bytes);
    state.order.add_memory(*data, bytes);
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
// Waits for the whole device, as CUDA does.
cudaError_t cudaFree(void* data) {
    std::unique_lock lock(mutex);
    if (const int status = enter("cudaFree")) {
        return static_cast<cudaError_t>(status);
    }
    wait_for_device(lock);
    const auto found = state.device_blocks.find(data);
    if (found == state.device_blocks.end()) {
        return cudaErrorInvalidValue;
    }
    state.counts.device_bytes -= found->second.bytes;
    state.used[found->second.device] -= found->second.bytes;
    state.device_blocks.erase(found);
    headway::simt::remove_device_memory(data);
    state.order.remove_memory(data);
    std::free(data);
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
    ENTER("cudaHostAlloc");
    *data = allocated(bytes);
    state.pinned_blocks[*data] = bytes;
    state.order.add_memory(*data, bytes);
    state.counts.pinned_bytes += bytes;
    ++state.counts.pinned_blocks;
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
    std::unique_lock lock(mutex);
    if (const int status = enter("cudaFreeHost")) {
        return static_cast<cudaError_t>(status);
    }
    wait_for_device(lock);
    state.order.remove_memory(data);
    state.counts.pinned_bytes -= state.pinned_blocks[data];
    state.pinned_blocks.erase(data);
    std::free(data);
    return cudaSuccess;
}
// From page-locked memory, and within the device, the values are those at the copy's turn in its stream. Pageable
// memory is read before this returns, and written before it returns.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    std::unique_lock lock(mutex);
    if (const int status = enter("cudaMemcpyAsync")) {
        return static_cast<cudaError_t>(status);
    }
    const Place source = place_of(from, bytes);
    const Place target = place_of(to, bytes);
    if (!allowed(kind, source, target)) {
        last_error = cudaErrorInvalidValue;
        return cudaErrorInvalidValue;
    }
    const Access reads{from, bytes, false};
    const Access writes{to, bytes, true};
    if (source != Place::pageable && target != Place::pageable) {
        push_kernel(stream, {"copy", [=] { std::memcpy(to, from, bytes); }, {reads, writes}});
        return cudaSuccess;
    }
    if (stream->capture != nullptr) {
        last_error = cudaErrorStreamCaptureUnsupported;
        return cudaErrorStreamCaptureUnsupported;
    }
    ++state.counts.pageable_copies;
    if (source == Place::pageable) {
        const auto* data = static_cast<const char*>(from);
        const auto put = [to, staged = std::vector<char>(data, data + bytes)] {
            std::memcpy(to, staged.data(), staged.size());
        };
        push_kernel(stream, {"copy", put, {writes}});
        return cudaSuccess;
    }
    const auto done = std::make_shared<bool>(false);
    const auto take = [=] {
        std::memcpy(to, from, bytes);
        const std::lock_guard inner(mutex);
        *done = true;
        changed.notify_all();
    };
    push_kernel(stream, {"copy", take, {reads}});
    const Clock order = state.order.of_stream(stream->number);
    changed.wait(lock, [&] { return *done || state.sticky != 0; });
    state.order.host_knows(order);
    return static_cast<cudaError_t>(state.sticky);
}
// Between devices, directly or through the host, in the stream's order.
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
    ENTER("cudaMemcpyPeerAsync");
    if (place_of(from, bytes) != Place::device || place_of(to, bytes) != Place::device ||
        device_of(from) != from_device || device_of(to) != to_device) {
        last_error = cudaErrorInvalidValue;
        return cudaErrorInvalidValue;
    }
    ++state.counts.peer_copies;
    const bool direct = state.peer_access.count({stream->device, from_device}) != 0;
    state.counts.staged_peer_copies += direct || from_device == to_device ? 0 : 1;
    push_kernel(stream,
                {"peer copy", [=] { std::memcpy(to, from, bytes); }, {{from, bytes, false}, {to, bytes, true}}});
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    ENTER("cudaMemsetAsync");
    if (place_of(to, bytes) != Place::device) {
        last_error = cudaErrorInvalidValue;
        return cudaErrorInvalidValue;
    }
    push_kernel(stream, {"memset", [=] { std::memset(to, value, bytes); }, {{to, bytes, true}}});
    return cudaSuccess;
}
}  // extern "C"
