#include "engine/devices/cpu/host_memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "engine/core/system/pages.h"
#include "engine/core/system/process_limits.h"
#include "engine/core/system/thread.h"

namespace headway::devices {

namespace {

constexpr std::size_t kLeastReserved = std::size_t{256} << 20;
constexpr std::size_t kOvercommit = 4;

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
    return (bytes + to - 1) / to * to;
}

std::size_t physical_bytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : kLeastReserved;
}

}  // namespace

HostMemory::HostMemory() {
    // Reserves addresses only: under a limit (ulimit -v) at most half of those that are left, as the program needs
    // some.
    const bool limited = core::addresses_are_limited();
    most_asked_ = physical_bytes() / 2 / kPageBytes;
    for (bytes_ = rounded_up(kOvercommit * physical_bytes(), kPageBytes); bytes_ >= kLeastReserved;
         bytes_ = rounded_up(bytes_ / 2, kPageBytes)) {
        if (limited && !core::addresses_for(2 * bytes_)) {
            continue;
        }
        memory_ = core::LazyMemory::zeroed(bytes_);  // huge pages: one page fault per 2 MiB instead of per 4 KiB
        if (!memory_) {
            continue;
        }
        memory_.keep_from_dumps();
        begin_ = memory_.data();
        free_.emplace(begin_, bytes_);
        asked_.resize(bytes_ / kPageBytes);
        return;
    }
    bytes_ = 0;
}

HostMemory::~HostMemory() {
    thread_.request_stop();
    thread_ = std::jthread();  // joins
}

bool HostMemory::owns(const void* data) const {
    const auto* at = static_cast<const std::byte*>(data);
    return at >= begin_ && at < begin_ + bytes_;
}

void* HostMemory::take(std::size_t bytes, bool ahead) {
    if (bytes == 0 || bytes > bytes_) {
        return nullptr;
    }
    const std::size_t wanted = rounded_up(bytes, kGrainBytes);
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(free_.begin(), free_.end(), [&](const auto& range) { return range.second >= wanted; });
    if (found == free_.end()) {
        return nullptr;
    }
    const auto [data, room] = *found;
    free_.erase(found);
    if (room > wanted) {
        free_.emplace(data + wanted, room - wanted);
    }
    bool fresh = false;
    const auto end = static_cast<std::size_t>(data - begin_) + wanted;
    for (auto page = static_cast<std::size_t>(data - begin_) / kPageBytes; ahead && page * kPageBytes < end; ++page) {
        if (!asked_[page] && asked_count_ < most_asked_) {
            asked_[page] = fresh = true;
            ++asked_count_;
            ahead_.push_back(page);
        }
    }
    if (fresh) {
        if (!thread_.joinable()) {
            thread_ = std::jthread([this](const std::stop_token& stop) { make_resident(stop); });
        }
        wake_.notify_one();
    }
    return data;
}

void HostMemory::give(void* block, std::size_t bytes) {
    auto* data = static_cast<std::byte*>(block);
    std::size_t size = rounded_up(bytes, kGrainBytes);
    std::unique_lock lock(mutex_);
    // Pages that belong to this block alone need not become resident any more.
    const auto first = rounded_up(static_cast<std::size_t>(data - begin_), kPageBytes) / kPageBytes;
    const auto last = static_cast<std::size_t>(data + size - begin_) / kPageBytes;
    std::erase_if(ahead_, [&](std::size_t page) { return page >= first && page < last; });
    left_.wait(lock, [&] { return current_ == nullptr || current_ + kPageBytes <= data || current_ >= data + size; });
    madvise(data, size, MADV_DONTNEED);
    for (auto page = first; page < last; ++page) {
        asked_count_ -= asked_[page] ? 1 : 0;
        asked_[page] = false;
    }

    const auto next = free_.lower_bound(data);
    if (next != free_.end() && next->first == data + size) {
        size += next->second;
        free_.erase(next);
    }
    if (auto before = free_.lower_bound(data); before != free_.begin()) {
        --before;
        if (before->first + before->second == data) {
            before->second += size;
            return;
        }
    }
    free_.emplace(data, size);
}

void HostMemory::make_resident(const std::stop_token& stop) {
    core::name_thread("pages");
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()),
                19);  // lowest priority: the frontend and the workers go first
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, stop, [this] { return !ahead_.empty(); }) && !stop.stop_requested()) {
        current_ = begin_ + ahead_.front() * kPageBytes;
        ahead_.pop_front();
        lock.unlock();
        core::make_resident(current_, kPageBytes);
        lock.lock();
        current_ = nullptr;
        left_.notify_all();
    }
}

}  // namespace headway::devices
