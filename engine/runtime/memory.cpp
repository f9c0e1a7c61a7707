// Tensor memory: allocated at issue, freed after the last use according to the free policy.
#include <algorithm>

#include "engine/core/bytes.h"
#include "engine/runtime/buffer.h"
#include "engine/runtime/runtime.h"

namespace headway::runtime {

using core::after;
using devices::Command;
using devices::Signature;
using memory::FreePolicy;

namespace {

constexpr std::uint64_t kAlwaysReclaimBytes = std::uint64_t{16} << 10;

}  // namespace

float* Runtime::find_memory(const Signature& signature, core::DeviceId device, std::uint32_t lane) {
    memory::Pool& pool = *pool_[device];
    if (!pool.has_used(signature.size_class, lane)) {
        // reclaim() reads a cache line of each lane's worker; new memory costs a page fault per 4 KiB.
        if (issued_ >= reclaim_after_ || signature.out_bytes >= kAlwaysReclaimBytes) {
            reclaim();
            if (!pool.has_used(signature.size_class, lane)) {
                reclaim_after_ = issued_ + 32;  // nothing had finished: do not try again at once
            }
        }
    }
    float* data = pool.take(signature.size_class, lane);
    if (data == nullptr) {
        reclaim_all();
        data = pool.take(signature.size_class, lane);
    }
    if (data == nullptr) {
        raise(core::ErrorKind::out_of_memory, "out of memory" + members_[device]->device.where() + " at " +
                                                  describe(signature) + ": the device has no " +
                                                  core::bytes_text(signature.out_bytes) + " left, " +
                                                  core::bytes_text(live_[device]) + " are live");
    }
    return data;
}

void Runtime::make_room(const Signature& signature, core::DeviceId device, std::uint64_t bytes) {
    reclaim_all();
    if (live_[device] + bytes > budget_) {
        raise(core::ErrorKind::out_of_memory, "out of memory" + members_[device]->device.where() + " at " +
                                                  describe(signature) + ": it asks for " + core::bytes_text(bytes) +
                                                  ", and " + core::bytes_text(live_[device]) + " of the budget of " +
                                                  core::budget_in_both_units(budget_) + " are live");
    }
}

void Runtime::free_block(const Pending& block) {
    live_[block.device] -= block.bytes;
    pool_[block.device]->give_anywhere(block.size_class, block.data);
}

inline void Runtime::drop_now(Buffer* buffer) {
    if (record_) [[likely]] {
        drops_.add({events_are_close_ ? last_event_ : stamp(), buffer->id, issued_});
    }
    if (free_policy_ == FreePolicy::lazy) [[unlikely]] {
        drop_lazily(buffer);
    } else {
        if (free_policy_ == FreePolicy::stream) {
            live_[buffer->device] -= buffer->bytes;
        }
        const std::uint64_t counted = free_policy_ == FreePolicy::stream ? 0 : buffer->bytes;
        if (lanes_ > 1) {
            drop_across_lanes(*buffer, counted);
        } else {
            const auto last = buffer->read_seq[0] == 0 || after(buffer->write_seq, buffer->read_seq[0])
                                  ? buffer->write_seq
                                  : buffer->read_seq[0];
            if (free_policy_ == FreePolicy::stream) {
                pool_[0]->give_in_lane(buffer->size_class, 0, buffer->data);
            } else {
                // Constructed in place: copying a struct that was just written member by member would stall on store
                // forwarding.
                pending_[0].blocks.emplace_back(last, static_cast<std::uint16_t>(buffer->size_class), core::DeviceId{0},
                                                buffer->data, counted);
            }
        }
    }
    buffer->data = nullptr;
    buffer->write_seq = 0;
    buffer->next_free = free_buffers_;
    free_buffers_ = buffer;
}

void Runtime::drop(Buffer* buffer) {
    if (buffer->write_seq == 0) [[unlikely]] {  // gathered but never issued: nothing to free or to record
        buffer->next_free = free_buffers_;
        free_buffers_ = buffer;
        return;
    }
    if (drops_.due() && record_ && !virtual_time_) [[unlikely]] {
        drop_measured(buffer);
    } else {
        drop_now(buffer);
    }
}

void Runtime::drop_measured(Buffer* buffer) {
    const std::uint64_t begin = core::ticks(), before = drops_.count();
    const bool alone = drops_.stands_alone();
    drop_now(buffer);
    if (drops_.count() != before) {  // false if the recording is full
        costs_.measured(trace::CostKind::drop, begin, drops_.count(), alone);
    }
}

// The memory is free once every lane that uses it has finished with it; if only one lane uses it, it is reused in that
// lane's order.
void Runtime::drop_across_lanes(const Buffer& buffer, std::uint64_t counted) {
    PendingInLanes held{{0, static_cast<std::uint16_t>(buffer.size_class), buffer.device, buffer.data, counted}, {}};
    std::uint32_t busy = 0;
    std::uint32_t busy_lane = 0;
    std::fill_n(held.need.begin(), lanes_, 0u);
    need(held.need, buffer.write_lane, buffer.write_seq);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        need(held.need, lane, buffer.read_seq[lane]);
        if (held.need[lane] != 0 && after(held.need[lane], seen_[lane])) {
            ++busy;
            busy_lane = lane;
        }
    }
    if (busy == 0) {
        free_block(held.block);
    } else if (busy > 1) {
        pending_in_lanes_.push_back(held);
    } else if (free_policy_ == FreePolicy::stream) {
        pool_[buffer.device]->give_in_lane(buffer.size_class, busy_lane, buffer.data);
    } else {
        held.block.seq = held.need[busy_lane];
        pending_[busy_lane].blocks.push_back(held.block);
    }
}

// Frees the memory in lane order: submits a free command after the last use, to a lane of the device that owns the
// memory.
void Runtime::drop_lazily(Buffer* buffer) {
    if (buffer->write_seq == 0) {
        return;
    }
    Placement placement;
    const Member& home = *members_[buffer->device];
    placement.lane = home.device.has_lane(buffer->write_lane) ? std::uint32_t{buffer->write_lane} : home.begin;
    std::array<std::uint32_t, core::kMaxLanes> last = buffer->read_seq;
    need(last, buffer->write_lane, buffer->write_seq);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        if (lane != placement.lane && last[lane] != 0 && !finished(lane, last[lane])) {
            placement.wait_lane[placement.waits] = lane;
            placement.wait_seq[placement.waits++] = last[lane];
        }
    }
    submit_waits(placement, 0);
    Command command;
    command.out_id = buffer->id;
    command.flags = devices::kFreeBuffer;
    ++seq_[placement.lane];
    device_of_lane(placement.lane).submit(placement.lane, command);
}

void Runtime::reclaim() {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        PendingQueue& queue = pending_[lane];
        while (queue.head < queue.blocks.size() && finished(lane, queue.blocks[queue.head].seq)) {
            free_block(queue.blocks[queue.head++]);
        }
        if (queue.head == queue.blocks.size()) {
            queue.blocks.clear();
            queue.head = 0;
        } else if (queue.head > 4096 && queue.head * 2 > queue.blocks.size()) {
            queue.blocks.erase(queue.blocks.begin(), queue.blocks.begin() + static_cast<std::ptrdiff_t>(queue.head));
            queue.head = 0;
        }
    }
    std::erase_if(pending_in_lanes_, [this](const PendingInLanes& held) {
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            if (held.need[lane] != 0 && !finished(lane, held.need[lane])) {
                return false;
            }
        }
        free_block(held.block);
        return true;
    });
    if (staged_.size() > 8) {
        std::erase_if(staged_, [this](const Staged& s) { return finished(s.lane, s.seq); });
    }
}

void Runtime::reclaim_all() {
    reclaim();
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        PendingQueue& queue = pending_[lane];
        const auto first = queue.blocks.begin() + static_cast<std::ptrdiff_t>(queue.head);
        const auto kept = std::remove_if(first, queue.blocks.end(), [this, lane](const Pending& block) {
            if (finished(lane, block.seq)) {
                free_block(block);
                return true;
            }
            return false;
        });
        queue.blocks.erase(kept, queue.blocks.end());
    }
}

std::uint64_t Runtime::live_bytes() {
    std::uint64_t bytes = 0;
    for (core::DeviceId device = 0; device < device_count_; ++device) {
        bytes += live_bytes(device);
    }
    return bytes;
}

std::uint64_t Runtime::live_bytes(core::DeviceId device) {
    if (free_policy_ == FreePolicy::lazy) {
        return members_[device]->device.lazy_bytes();
    }
    reclaim_all();
    return live_[device];
}

std::uint64_t Runtime::reserved_bytes() const {
    std::uint64_t bytes = 0;
    for (core::DeviceId device = 0; device < device_count_; ++device) {
        bytes += pool_[device]->reserved_bytes();
    }
    return bytes;
}

bool Runtime::has_open_ops() {
    const auto& last = free_policy_ == FreePolicy::lazy ? last_op_ : seq_;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        if (last[lane] != 0 && !finished(lane, last[lane])) {
            return true;
        }
    }
    return false;
}

std::uint32_t Runtime::headway() {
    std::uint32_t queued = 0;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        queued += seq_[lane] - device_of_lane(lane).completed(lane).load(std::memory_order_acquire);
    }
    return queued;
}

}  // namespace headway::runtime
