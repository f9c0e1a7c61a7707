// The keeper's thread: makes chunks resident, renews the anchor of the clock, and samples memory.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "engine/core/system/pages.h"
#include "engine/core/system/thread.h"
#include "engine/trace/recorder.h"

namespace headway::trace {

namespace {

constexpr std::int64_t kKeeperPeriodNs = 10'000'000;
constexpr std::size_t kFirstBytes = std::size_t{256} << 10;  // of each of the first chunks
constexpr std::size_t kLeastAhead = 3, kMostAhead = 32;      // chunks kept resident beyond those in use
constexpr std::int64_t kAheadNs = 100'000'000;               // target: as many chunks as the writers use in this time

// Resident bytes of this process, from a descriptor of /proc/self/statm; 0 when it cannot be read.
std::uint64_t resident_bytes(int statm) {
    std::array<char, 128> text{};
    const auto got = pread(statm, text.data(), text.size() - 1, 0);
    if (got <= 0) {
        return 0;
    }
    char* end = nullptr;
    std::strtoull(text.data(), &end, 10);  // the first field is the size of the address space
    static const auto kPage = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return std::strtoull(end, nullptr, 10) * kPage;
}

}  // namespace

// Enough for a short run, and for the start of a long one until the keeper has run.
void Recording::prepare_first_bytes() {
    for (std::size_t i = resident_to_; i < std::min<std::size_t>(kFirstChunks, capacity_); ++i) {
        core::make_resident(chunk_at(i), kFirstBytes);
    }
    first_bytes_ = kFirstBytes;
}

void Recording::prepare_chunks(const std::stop_token& stop) {
    const std::size_t used = header_->chunks_used.load(std::memory_order_relaxed);
    if (used > kFirstChunks && used > resident_to_) {
        // The writers overtook the keeper and make these chunks resident themselves.
        resident_from_.store(static_cast<std::uint32_t>(used), std::memory_order_relaxed);
        resident_to_.store(static_cast<std::uint32_t>(used), std::memory_order_release);
    }
    const std::int64_t now_ns = core::monotonic_ns();
    const std::int64_t elapsed_ns = now_ns - rate_since_ns_;
    const std::size_t fresh = used - std::min(std::max(rate_used_, kFirstChunks), used);
    if (elapsed_ns >= kKeeperPeriodNs) {
        const double rate = static_cast<double>(fresh) / static_cast<double>(elapsed_ns);
        const double wanted = std::min(rate * static_cast<double>(kAheadNs), static_cast<double>(kMostAhead));
        ahead_ = std::max({kLeastAhead, ahead_ / 2, static_cast<std::size_t>(wanted)});
        rate_since_ns_ = now_ns;
        rate_used_ = used;
    } else if (2 * fresh > ahead_) {
        ahead_ = std::min(2 * ahead_, kMostAhead);
    }
    prepare_chunks_to(std::max(kFirstChunks, used + ahead_), stop);
}

void Recording::prepare_chunks_to(std::size_t count, const std::stop_token& stop) {
    const std::size_t end = std::min<std::size_t>(count, capacity_);
    for (std::uint32_t next = resident_to_.load(std::memory_order_relaxed); next < end && !stop.stop_requested();) {
        core::make_resident(chunk_at(next), kChunkBytes);
        resident_to_.store(++next, std::memory_order_release);
    }
}

void Recording::renew_anchor() {
    if (header_->clock() != ClockKind::ticks) {
        return;
    }
    const core::Anchor anchor = core::read_anchor();
    std::uint32_t version = header_->anchor_version.load(std::memory_order_relaxed);
    if ((version & 1u) != 0 ||
        !header_->anchor_version.compare_exchange_strong(version, version + 1, std::memory_order_acquire)) {
        return;  // another thread is renewing it
    }
    // Release stores: a reader that sees a new value also sees the odd version. (Fences would be invisible to the
    // thread sanitizer.)
    header_->last_ticks.store(anchor.ticks, std::memory_order_release);
    header_->last_ns.store(anchor.ns, std::memory_order_release);
    header_->anchor_version.store(version + 2, std::memory_order_release);
}

void Recording::start_keeper() {
    keeper_ = std::jthread([this](const std::stop_token& stop) { keep(stop); });
}

void Recording::stop_keeper() {
    keeper_.request_stop();
    claims_.fetch_add(1, std::memory_order_release);
    core::futex_wake_all(claims_);
    keeper_.join();
}

void Recording::keep(const std::stop_token& stop) {
    core::name_thread("trace-keeper");
    const bool real_time = header_->clock() == ClockKind::ticks;
    const core::UniqueFd statm(real_time ? open("/proc/self/statm", O_RDONLY | O_CLOEXEC) : -1);
    std::int64_t next_ns = core::monotonic_ns();
    while (!stop.stop_requested()) {
        const std::uint32_t claims = claims_.load(std::memory_order_acquire);
        prepare_chunks(stop);
        const std::int64_t now_ns = core::monotonic_ns();
        if (now_ns >= next_ns) {
            next_ns = now_ns + kKeeperPeriodNs;
            header_->heartbeat_ns.store(static_cast<std::uint64_t>(now_ns), std::memory_order_relaxed);
            if (real_time) {
                renew_anchor();
                resident_bytes_.store(resident_bytes(statm.get()), std::memory_order_relaxed);
                sample_memory();
            }
        }
        if (stop.stop_requested()) {
            break;
        }
        core::futex_wait_for(claims_, claims, std::max<std::int64_t>(next_ns - core::monotonic_ns(), 1));
    }
}

void Recording::count_reserved(std::int64_t bytes, core::DeviceId device) {
    const std::int64_t own = reserved_[device].fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const std::int64_t all = all_reserved_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const bool more = own > most_reserved_[device].load(std::memory_order_relaxed) ||
                      all > most_all_reserved_.load(std::memory_order_relaxed);
    if (bytes > 0 && more && header_->clock() == ClockKind::ticks) {
        sample_memory();
    }
}

void Recording::sample_memory() {
    const std::lock_guard lock(samples_mutex_);
    const std::uint64_t now = core::ticks();
    const auto reserved_by = [this](std::size_t device) {
        const std::int64_t bytes = reserved_[device].load(std::memory_order_relaxed);
        most_reserved_[device].store(std::max(bytes, most_reserved_[device].load(std::memory_order_relaxed)),
                                     std::memory_order_relaxed);
        return static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
    };
    std::uint64_t reserved = reserved_by(0);
    // Other devices first, so that a reader that sees the total also sees its parts.
    for (std::uint8_t device = 1; device < core::kMaxDevices; ++device) {
        StreamWriter<SampleRecord>& samples = device_samples_[device];
        if (const std::uint64_t own = reserved_by(device); own != 0 || samples.chunk() != nullptr) {
            if (samples.chunk() == nullptr) {
                samples = {*this, {StreamKind::samples, device}};
            }
            samples.add({now, 0, own, 0});
            reserved += own;
        }
    }
    most_all_reserved_.store(
        std::max(static_cast<std::int64_t>(reserved), most_all_reserved_.load(std::memory_order_relaxed)),
        std::memory_order_relaxed);
    samples_.add({now, resident_bytes_.load(std::memory_order_relaxed), reserved, 0});
}

}  // namespace headway::trace
