// Blocks of host memory: huge pages from one reserved address range, made resident ahead of their use.
//
// Threads: any.
//
// The first write to a new page costs a page fault. When the frontend runs far ahead, every op writes new pages, and
// the page faults would count as execution time of the ops. So a low-priority thread makes allocated pages resident
// before the workers reach them. It only calls madvise(), which does not block threads that take page faults or
// allocate at the same time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/core/system/lazy_memory.h"

namespace headway::devices {

class HostMemory {
public:
    static constexpr std::size_t kGrainBytes = std::size_t{64} << 10;  // block sizes are rounded up to this
    static constexpr std::size_t kPageBytes = std::size_t{2} << 20;    // a huge page, shared by small blocks

    HostMemory();
    ~HostMemory();
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    // Size of the reserved address range, a few times the physical memory; unused addresses cost no memory. 0 if none
    // could be reserved; then take() returns null.
    [[nodiscard]] std::size_t reserved_bytes() const { return bytes_; }

    // A block of zeros of at least `bytes`, aligned to kGrainBytes; null if it does not fit. With `ahead` its pages
    // become resident soon after, up to half of the physical memory in total.
    [[nodiscard]] void* take(std::size_t bytes, bool ahead);
    // Whether this block came from take().
    [[nodiscard]] bool owns(const void* data) const;
    // Frees a whole block; its pages are returned to the system.
    void give(void* data, std::size_t bytes);

private:
    void make_resident(const std::stop_token& stop);

    core::LazyMemory memory_;
    std::byte* begin_ = nullptr;  // of memory_
    std::size_t bytes_ = 0;
    std::size_t most_asked_ = 0;  // most pages made resident ahead
    std::mutex mutex_;
    std::map<std::byte*, std::size_t> free_;  // free ranges; adjacent ranges are merged
    std::vector<bool> asked_;                 // per page: resident, or queued to become resident
    std::size_t asked_count_ = 0;
    std::deque<std::size_t> ahead_;  // pages queued to become resident
    std::byte* current_ = nullptr;   // the page that the thread is making resident
    std::condition_variable_any wake_;
    std::condition_variable left_;
    std::jthread thread_;  // started by the first take() with `ahead`
};

}  // namespace headway::devices
