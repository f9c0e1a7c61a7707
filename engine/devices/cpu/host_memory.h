// Blocks of host memory: huge pages out of one reserved range of addresses, made resident ahead of their use.
//
// Threads: any.
//
// A fresh page costs its first writer a fault. When the frontend runs far ahead every op writes fresh pages, and the
// faults would be counted as the ops' own time: so a thread of low priority writes to what was taken before the workers
// come to it. Only madvise() is called on the way, which does not hold up those who fault or take at the same time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace headway::devices {

class HostMemory {
public:
    static constexpr std::size_t kGrainBytes = std::size_t{64} << 10;  // what blocks are rounded up to
    static constexpr std::size_t kPageBytes = std::size_t{2} << 20;    // a huge page, shared by small blocks

    HostMemory();
    ~HostMemory();
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    // The addresses there are, a few times the machine's memory: what is taken and not yet written to costs none of it.
    // 0 where none could be reserved, and take() gives nothing.
    [[nodiscard]] std::size_t reserved_bytes() const { return begin_ != nullptr ? bytes_ : 0; }

    // A block of at least so many bytes, aligned to kGrainBytes; null when there is no room for it. With `ahead` its
    // pages become resident soon after, up to half of the machine's memory in all.
    [[nodiscard]] void* take(std::size_t bytes, bool ahead);
    // Whether take() gave this block.
    [[nodiscard]] bool owns(const void* data) const;
    // Gives a block back whole; its pages go back to the system.
    void give(void* data, std::size_t bytes);

private:
    void make_resident(const std::stop_token& stop);

    std::byte* begin_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t most_asked_ = 0;  // pages that may be resident ahead
    std::mutex mutex_;
    std::map<std::byte*, std::size_t> free_;  // ranges, never two that touch
    std::vector<bool> asked_;                 // per page: resident, or about to be
    std::size_t asked_count_ = 0;
    std::deque<std::size_t> ahead_;  // pages that are not yet resident
    std::byte* in_hand_ = nullptr;   // the page that the thread is at
    std::condition_variable_any wake_;
    std::condition_variable left_;
    std::jthread thread_;  // from the first block that is wanted ahead
};

}  // namespace headway::devices
