// What the GPU reports of itself, by op: CUPTI's activity records, joined. A kernel, copy or memset names the call that
// started it by a correlation id, and an external correlation record names the op that the call belonged to; either may
// come first. An op that took several kernels lasts from the first one's start to the last one's end.
//
// Threads: any. parse() calls nothing of CUDA but the function it is given, since CUPTI holds its own locks then.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/trace/format.h"

namespace headway::devices::cuda {

class ActivityTimes {
public:
    struct Interval {
        std::int64_t begin_ns = 0, end_ns = 0;  // CLOCK_MONOTONIC, as the timestamp callback answers
        std::uint32_t activities = 0;
    };
    using NextRecord = CUptiResult (*)(std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record);

    // What the driver did beside the ops: a wait of the host or of a stream, memory taken and given back.
    struct DriverEvent {
        trace::DriverKind kind = trace::DriverKind::other_wait;
        std::int64_t begin_ns = 0, end_ns = 0;
        std::uint64_t bytes = 0;   // of memory
        std::uint32_t stream = 0;  // as CUPTI counts them
    };

    // Takes in a buffer that CUPTI has filled. A buffer that ends in the middle of a record is read up to there.
    void parse(NextRecord next, std::uint8_t* buffer, std::size_t bytes);

    // What is known of this op so far; nothing while no activity of it has been reported.
    [[nodiscard]] std::optional<Interval> of(std::uint64_t id) const;
    // Its activities one by one, by their begin.
    [[nodiscard]] std::vector<Interval> pieces_of(std::uint64_t id) const;
    void forget(std::uint64_t id);

    // What has arrived since the last call.
    [[nodiscard]] std::vector<DriverEvent> take_driver_events();

    // Once per flush: drops activities that no op has claimed for kPatience flushes (a library's own work).
    void age();
    void clear();
    [[nodiscard]] std::size_t unclaimed() const;

    static constexpr std::uint32_t kPatience = 40;

private:
    struct Unclaimed {
        std::vector<Interval> pieces;
        std::uint64_t flush = 0;  // when it arrived
    };
    struct Op {
        std::vector<Interval> pieces;
        std::vector<std::uint32_t> correlations;
    };
    void add(std::uint32_t correlation, std::uint64_t begin_ns, std::uint64_t end_ns);
    void correlate(std::uint32_t correlation, std::uint64_t id);

    mutable std::mutex mutex_;
    std::unordered_map<std::uint32_t, std::uint64_t> op_of_;  // correlation -> op
    std::unordered_map<std::uint32_t, Unclaimed> unclaimed_;  // by correlation
    std::unordered_map<std::uint64_t, Op> ops_;
    std::vector<DriverEvent> driver_events_;
    std::uint64_t flushes_ = 0;
};

}  // namespace headway::devices::cuda
