// Joins CUPTI's activity records by op. The record of a kernel, copy or memset contains the correlation id of the call
// that started it, and an external correlation record maps that id to an op; either may arrive first. An op with
// several kernels lasts from the first one's start to the last one's end.
//
// Threads: any. parse() calls no CUDA function except the one that it is given, because CUPTI holds its own locks
// during the call.
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
        std::int64_t begin_ns = 0, end_ns = 0;  // CLOCK_MONOTONIC, from the timestamp callback
        std::uint32_t activities = 0;
    };
    using NextRecord = CUptiResult (*)(std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record);

    // A driver event other than an op: a wait of the host or of a stream, or memory allocated or freed.
    struct DriverEvent {
        trace::DriverKind kind = trace::DriverKind::other_wait;
        std::int64_t begin_ns = 0, end_ns = 0;
        std::uint64_t bytes = 0;   // memory events only
        std::uint32_t stream = 0;  // CUPTI's stream id
    };

    // Parses a buffer that CUPTI has filled. If it ends in the middle of a record, the records before that are used.
    void parse(NextRecord next, std::uint8_t* buffer, std::size_t bytes);

    // The op's interval as known so far; nullopt until an activity of it has been reported.
    [[nodiscard]] std::optional<Interval> of(std::uint64_t id) const;
    // Its single activities, ordered by begin.
    [[nodiscard]] std::vector<Interval> pieces_of(std::uint64_t id) const;
    void forget(std::uint64_t id);

    // Driver events that arrived since the last call.
    [[nodiscard]] std::vector<DriverEvent> take_driver_events();

    // Call once per flush: drops activities that no op has claimed for kPatience flushes (a library's own work).
    void age();
    void clear();
    [[nodiscard]] std::size_t unclaimed() const;

    // Ignores what is launched from now on, until clear(): it is not known which op it belongs to.
    void stop_joining();

    static constexpr std::uint32_t kPatience = 40;
    static constexpr std::uint64_t kNoOp = 0;  // activities with this id belong to no op

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
    bool joins_ = true;
};

}  // namespace headway::devices::cuda
