// An unbounded queue of commands from the frontend to one thread of a device: a list of segments that are recycled when
// drained, so a long run allocates only while the queue grows. No lock; one store per command on either side.
//
// Threads: one producer, one consumer.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#include "engine/core/system/pages.h"
#include "engine/devices/op.h"

namespace headway::devices {

class CommandQueue {
public:
    CommandQueue() { write_ = read_ = new_segment(); }
    CommandQueue(const CommandQueue&) = delete;
    CommandQueue& operator=(const CommandQueue&) = delete;

    // Producer. The next command, to be written in place: copying a struct that was just written member by member would
    // stall on store forwarding.
    [[nodiscard]] Command& slot() { return write_->commands[write_at_]; }
    // Producer. Makes the command in slot() visible to the consumer; slot() is then the next one.
    void publish() {
        if (++write_at_ == kSegmentCommands) [[unlikely]] {
            Segment* next = new_segment();
            write_->next.store(next, std::memory_order_release);
            write_ = next;
            write_at_ = 0;
        }
        published_.store(++pushed_, std::memory_order_release);
    }

    // Consumer. Number of commands published so far, modulo 2^32.
    [[nodiscard]] std::uint32_t published() const { return published_.load(std::memory_order_acquire); }

    // Consumer. The next command; call only if published() shows that there is one. It stays valid until pop().
    [[nodiscard]] Command& front() {
        if (read_at_ == kSegmentCommands) [[unlikely]] {
            Segment* old = read_;
            read_ = old->next.load(std::memory_order_acquire);
            read_at_ = 0;
            Segment* head = drained_.load(std::memory_order_relaxed);
            do {
                old->next.store(head, std::memory_order_relaxed);
            } while (!drained_.compare_exchange_weak(head, old, std::memory_order_release, std::memory_order_relaxed));
        }
        return read_->commands[read_at_];
    }
    void pop() { ++read_at_; }
    // Prefetches the command `ahead` places after the front; does nothing beyond the segment's end.
    void prefetch(std::uint32_t ahead) const {
        if (read_at_ + ahead < kSegmentCommands) {
            __builtin_prefetch(&read_->commands[read_at_ + ahead]);
        }
    }

private:
    static constexpr std::uint32_t kSegmentCommands = 4096;  // 256 KiB
    static constexpr std::size_t kSlabBytes = core::kHugePageBytes;
    struct Segment {
        std::array<Command, kSegmentCommands> commands;
        std::atomic<Segment*> next{nullptr};
    };
    static_assert(std::is_trivially_destructible_v<Segment>);

    Segment* new_segment() {
        if (spare_ == nullptr) {
            spare_ = drained_.exchange(nullptr, std::memory_order_acquire);
        }
        if (spare_ == nullptr) {
            make_segments();
        }
        Segment* segment = spare_;
        spare_ = segment->next.load(std::memory_order_relaxed);
        segment->next.store(nullptr, std::memory_order_relaxed);
        return segment;
    }
    // Allocates as many segments as fit in a huge page: 28,000 commands for one page fault.
    [[gnu::noinline]] void make_segments() {
        slabs_.push_back(core::resident_pages(kSlabBytes));
        std::byte* place = slabs_.back().data();
        for (std::size_t at = 0; at + sizeof(Segment) <= kSlabBytes; at += sizeof(Segment)) {
            auto* segment = new (place + at) Segment;
            segment->next.store(spare_, std::memory_order_relaxed);
            spare_ = segment;
        }
    }

    // Producer only.
    std::vector<core::LazyMemory> slabs_;
    Segment* spare_ = nullptr;
    Segment* write_ = nullptr;
    std::uint32_t write_at_ = 0;
    std::uint32_t pushed_ = 0;
    alignas(128) std::atomic<std::uint32_t> published_{0};
    // Consumer only.
    alignas(128) Segment* read_;
    std::uint32_t read_at_ = 0;
    alignas(128) std::atomic<Segment*> drained_{nullptr};
};

}  // namespace headway::devices
