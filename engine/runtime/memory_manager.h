// Buffers and their memory: taken at issue, freed after the last use as the free policy says, within the budget.
//
// A buffer's bytes are *live* from the time that its memory is taken. When its last tensor is dropped they are freed at
// once if no lane uses them any more; otherwise they are *pending* until the lanes have finished (policy finish), or
// may be reused at once in the order of the lane that uses them (policy stream). Under the policy lazy the device takes
// memory when an op starts, and this class only tells it when to free. *Reserved* bytes are those that were taken from
// the devices, in use or cached for later ops. All sizes are in bytes, and each device has its own count.
//
// Threads: the frontend only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/system/pages.h"
#include "engine/memory/pool.h"
#include "engine/runtime/frontend/frontend_recorder.h"
#include "engine/runtime/frontend/source_lines.h"
#include "engine/runtime/scheduling/buffer.h"
#include "engine/runtime/scheduling/lanes.h"
#include "engine/runtime/scheduling/until_finished.h"

namespace headway::runtime {

class ProgramStreams;

class MemoryManager {
public:
    // `owner` is the queue of the tensors whose memory this is.
    MemoryManager(OpQueue* owner, Lanes& lanes, const SourceLines& lines, FrontendRecorder& recorder,
                  memory::FreePolicy policy);
    // Every lane must have finished. Tensors that the program still holds lose their memory.
    ~MemoryManager();
    MemoryManager(const MemoryManager&) = delete;
    MemoryManager& operator=(const MemoryManager&) = delete;

    // `streams` decides how memory of the program's streams is reused. Call once.
    void set_streams(ProgramStreams& streams) { streams_ = &streams; }
    // This device of `lanes` joins the run.
    void add_device(core::DeviceId number);
    [[nodiscard]] memory::Pool& pool(core::DeviceId device) { return *pools_[device]; }

    // Of each device; 0: none. Under the lazy policy the devices check it when an op starts.
    void set_budget(std::uint64_t bytes);
    // ProgramError unless the budget has room for `bytes` more. `op` and `signature` are for the message.
    void expect_room(core::DeviceId device, std::uint64_t bytes, const devices::Signature& signature, core::OpId op) {
        if (live_[device] + bytes > budget_) [[unlikely]] {
            make_room(device, bytes, signature, op);
        }
    }

    // A buffer with one reference and no memory, for the output of `signature`.
    [[nodiscard]] Buffer* new_buffer(const devices::Signature& signature, core::DeviceId device) {
        return new_buffer(signature.out_bytes, signature.size_class, device);
    }
    [[nodiscard]] Buffer* new_buffer(std::uint64_t bytes, std::uint32_t size_class, core::DeviceId device) {
        if (free_buffers_ == nullptr) [[unlikely]] {
            make_buffers();
        }
        Buffer* buffer = free_buffers_;
        free_buffers_ = buffer->next_free;
        buffer->bytes = bytes;
        buffer->size_class = size_class;
        buffer->device = device;
        buffer->id = next_id_++;
        buffer->references = 1;
        std::fill_n(buffer->read_seq.begin(), lanes_.count(), 0u);
        return buffer;
    }
    // Memory for the output of op `op`, which will run in `lane`; null under the lazy policy. Under the policy
    // stream, if the device has none left, waits for all ops and records that. ProgramError if there is none.
    [[nodiscard]] float* take(const devices::Signature& signature, core::DeviceId device, std::uint32_t lane,
                              core::OpId op) {
        if (policy_ == memory::FreePolicy::lazy) [[unlikely]] {
            return nullptr;
        }
        float* used = pools_[device]->take_used(signature.size_class, lane);
        float* data = used != nullptr ? used : find(signature, device, lane, op);
        live_[device] += signature.out_bytes;
        return data;
    }
    // Memory for ops that are issued later: a buffer with one reference that no op has used. `memory` comes from
    // Signatures::allocation(). Commands already queued in `lane`, a lane of the same device, may still be using the
    // block. ProgramError under the lazy policy, or if there is no room.
    [[nodiscard]] Buffer* allocate(const devices::Signature& memory, core::DeviceId device, std::uint32_t lane,
                                   core::OpId op);
    // Gives back memory that no command in `lane` has used since it was taken for it.
    void give_back(Buffer& buffer, std::uint32_t lane);

    // Frees a buffer without references, and its memory once the ops that use it have finished.
    void free(Buffer* buffer) {
        if (policy_ == memory::FreePolicy::lazy) [[unlikely]] {
            free_lazily(*buffer);
        } else {
            free_memory(*buffer);
        }
        buffer->data = nullptr;
        buffer->write_seq = 0;
        recycle(buffer);
    }
    // The same for a buffer that no op was issued for.
    void recycle(Buffer* buffer) {
        buffer->next_free = free_buffers_;
        free_buffers_ = buffer;
    }

    // Frees the pending memory at the front of each lane's queue that is not in use any more.
    void reclaim();
    // Host memory that unfinished commands use.
    [[nodiscard]] UntilFinished<std::vector<float>>& host_values() { return host_values_; }
    // Where the values of a finished buffer are.
    [[nodiscard]] float* data_of(const Buffer& buffer);

    [[nodiscard]] bool lazy() const { return policy_ == memory::FreePolicy::lazy; }
    [[nodiscard]] std::uint64_t live_bytes();  // now, on all devices
    [[nodiscard]] std::uint64_t live_bytes(core::DeviceId device);
    [[nodiscard]] std::uint64_t reserved_bytes(core::DeviceId device) const { return pools_[device]->reserved_bytes(); }
    // Returns cached memory to the system. Only while no command is unfinished.
    void empty_cache();

private:
    // Memory of a dropped tensor that is still in use.
    struct Pending {
        // (A constructor because clang++-14 cannot emplace aggregates.)
        Pending(std::uint32_t last, std::uint16_t class_of_size, core::DeviceId on, float* memory,
                std::uint64_t counted)
            : seq(last), size_class(class_of_size), device(on), data(memory), bytes(counted) {}
        std::uint32_t seq;
        std::uint16_t size_class;  // at most a few hundred classes
        core::DeviceId device;
        float* data;
        std::uint64_t bytes;
    };
    struct PendingQueue {
        std::vector<Pending, core::PageAllocator<Pending>> blocks;
        std::size_t head = 0;
    };
    struct PendingInLanes {
        Pending block;
        LaneSeqs need;
        std::uint32_t home = core::kMaxLanes;  // the lane in whose order it is reused afterwards; kMaxLanes: any
    };

    [[gnu::noinline]] void make_buffers();
    [[nodiscard]] float* find(const devices::Signature& signature, core::DeviceId device, std::uint32_t lane,
                              core::OpId op);
    [[nodiscard]] float* take_from_lanes(std::uint32_t size_class, core::DeviceId device, std::uint32_t lane);
    void make_room(core::DeviceId device, std::uint64_t bytes, const devices::Signature& signature, core::OpId op);
    [[noreturn]] void refuse(const devices::Signature& signature, core::DeviceId device, core::OpId op,
                             const std::string& why) const;
    void free_memory(const Buffer& buffer) {
        std::uint64_t counted = buffer.bytes;
        if (policy_ == memory::FreePolicy::stream) {
            live_[buffer.device] -= buffer.bytes;
            counted = 0;
        }
        if (lanes_.count() > 1) {
            free_across_lanes(buffer, counted);
            return;
        }
        if (policy_ == memory::FreePolicy::stream) {
            pools_[0]->give_in_lane(buffer.size_class, 0, buffer.data);
            return;
        }
        const auto last = buffer.read_seq[0] == 0 || core::after(buffer.write_seq, buffer.read_seq[0])
                              ? buffer.write_seq
                              : buffer.read_seq[0];
        // Constructed in place: copying a struct that was just written member by member would stall on store
        // forwarding.
        pending_[0].blocks.emplace_back(last, static_cast<std::uint16_t>(buffer.size_class), core::DeviceId{0},
                                        buffer.data, counted);
    }
    [[gnu::noinline]] void free_across_lanes(const Buffer& buffer, std::uint64_t counted);
    bool free_in_streams(const Buffer& buffer);
    [[gnu::noinline]] void free_lazily(const Buffer& buffer);
    void free_block(const Pending& block) {
        live_[block.device] -= block.bytes;
        pools_[block.device]->give_anywhere(block.size_class, block.data);
    }
    void reclaim_all();  // frees every finished block

    OpQueue* const owner_;
    Lanes& lanes_;
    ProgramStreams* streams_ = nullptr;
    const SourceLines& lines_;
    FrontendRecorder& recorder_;
    const memory::FreePolicy policy_;
    core::BufferId next_id_ = 1;
    Buffer* free_buffers_ = nullptr;
    std::uint64_t budget_ = 0;  // of each device; all ones: none
    std::array<std::unique_ptr<memory::Pool>, core::kMaxDevices> pools_;
    std::array<std::uint64_t, core::kMaxDevices> live_{};
    core::OpId reclaim_after_ = 0;
    std::array<PendingQueue, core::kMaxLanes> pending_;
    std::vector<PendingInLanes> pending_in_lanes_;
    std::vector<std::unique_ptr<Buffer[]>> buffer_slabs_;
    UntilFinished<std::vector<float>> host_values_;
};

}  // namespace headway::runtime
