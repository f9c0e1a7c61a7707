#include "tests/unit/cuda/fake_order.h"

#include <algorithm>

namespace headway::fake {

namespace {

std::string name_of(const std::string& what, int stream, std::uint32_t number) {
    return what + " (command " + std::to_string(number) + " of stream " + std::to_string(stream) + ")";
}

}  // namespace

void join(Clock& clock, const Clock& other) {
    clock.resize(std::max(clock.size(), other.size()));
    for (std::size_t i = 0; i < other.size(); ++i) {
        clock[i] = std::max(clock[i], other[i]);
    }
}

void OrderCheck::add_memory(const void* data, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    blocks_[begin] = {begin + bytes, {}};
}

void OrderCheck::remove_memory(const void* data) {
    blocks_.erase(reinterpret_cast<std::uintptr_t>(data));
}

Clock& OrderCheck::clock_of(int stream) {
    const auto at = static_cast<std::size_t>(stream);
    if (streams_.size() <= at) {
        streams_.resize(at + 1);
    }
    Clock& clock = streams_[at];
    if (clock.size() <= at) {
        clock.resize(at + 1);
    }
    return clock;
}

std::vector<std::string> OrderCheck::launched(int stream, const std::string& what,
                                              const std::vector<Access>& accesses) {
    Clock& clock = clock_of(stream);
    join(clock, host_);
    const std::uint32_t number = ++clock[static_cast<std::size_t>(stream)];
    std::vector<std::string> problems;
    for (const Access& access : accesses) {
        const auto begin = reinterpret_cast<std::uintptr_t>(access.data);
        const auto after = blocks_.upper_bound(begin);
        if (after == blocks_.begin() || std::prev(after)->second.end <= begin) {
            continue;  // pageable memory of the host
        }
        const std::uintptr_t block_begin = std::prev(after)->first;
        Block& block = std::prev(after)->second;
        const Range range{begin, std::min(begin + access.bytes, block.end)};
        for (const Earlier& earlier : block.accesses) {
            const auto of = static_cast<std::size_t>(earlier.stream);
            const bool ordered = of < clock.size() && clock[of] >= earlier.number;
            if (!ordered && (access.writes || earlier.writes) && range.overlaps(earlier.range)) {
                problems.push_back("order: " + name_of(what, stream, number) + (access.writes ? " writes" : " reads") +
                                   " memory that " + name_of(earlier.what, earlier.stream, earlier.number) +
                                   (earlier.writes ? " writes" : " reads") +
                                   ", and neither waits for the other: bytes " +
                                   std::to_string(std::max(range.begin, earlier.range.begin) - block_begin) + " to " +
                                   std::to_string(std::min(range.end, earlier.range.end) - block_begin - 1) + " of " +
                                   std::to_string(block.end - block_begin));
            }
        }
        // What conflicts with a covered write conflicts with this one or is ordered; the same holds for a stream's
        // earlier reads.
        std::erase_if(block.accesses, [&](const Earlier& earlier) {
            return range.contains(earlier.range) && (access.writes || (!earlier.writes && earlier.stream == stream));
        });
        block.accesses.push_back({range, stream, number, access.writes, what});
    }
    return problems;
}

bool OrderCheck::stream_waits(int stream, const Clock& event) {
    Clock& clock = clock_of(stream);
    const Clock before = clock;
    join(clock, event);
    return clock != before;
}

Clock OrderCheck::of_stream(int stream) {
    return clock_of(stream);
}

void OrderCheck::host_knows(const Clock& event) {
    join(host_, event);
}

void OrderCheck::host_knows_stream(int stream) {
    host_knows(clock_of(stream));
}

void OrderCheck::host_knows_all() {
    for (const Clock& clock : streams_) {
        host_knows(clock);
    }
}

}  // namespace headway::fake
