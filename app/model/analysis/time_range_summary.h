// Summary of a time range of a run: ops by kind and by lane, issues, waits by cause, each clipped to the range.
// Also finds the nearest edge of a span, for snapping.
//
// Exact. Uses the run's indices, so the cost does not grow with the number of ops in the range.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// Counts spans that intersect [begin, end), and spans of no length that begin there.
struct TimeRangeSum {
    std::uint64_t count = 0;
    std::int64_t ns = 0;  // clipped to the range
    friend bool operator==(const TimeRangeSum&, const TimeRangeSum&) = default;
};

struct TimeRangeSummary {
    struct OfKind {
        std::string name;  // of the op, without shapes: "matmul"
        devices::Family family = devices::Family::other;
        TimeRangeSum sum;
    };
    struct OfCause {
        trace::WaitKind kind = trace::WaitKind::waitall;
        TimeRangeSum sum;
    };
    std::int64_t begin_ns = 0, end_ns = 0;
    std::vector<OfKind> kinds;        // longest total first
    std::vector<TimeRangeSum> lanes;  // as in Run::lanes()
    TimeRangeSum issues;
    TimeRangeSum works;           // the frontend's own work
    std::vector<OfCause> causes;  // of waits, including one in progress; longest total first
    [[nodiscard]] TimeRangeSum ops() const;
    [[nodiscard]] TimeRangeSum waits() const;
};
// Times are the run's; the range is empty if end <= begin.
TimeRangeSummary time_range_summary(const Run& run, std::int64_t begin_ns, std::int64_t end_ns);

// How many of the ops [first, last] have a recorded issue: all of them, except in other programs' traces.
std::uint64_t issued_ops(const Run& run, OpId first, OpId last);

// The ops of one lane alone.
TimeRangeSum lane_sum(const Run& run, std::size_t lane, std::int64_t begin_ns, std::int64_t end_ns);

// The begin or end of a span in one row that is nearest to `ns`, and at most `reach_ns` away.
enum class EdgeRow : std::uint8_t { lane, issues, waits, works };
std::optional<std::int64_t> nearest_edge(const Run& run, EdgeRow row, std::size_t lane, std::int64_t ns,
                                         std::int64_t reach_ns);
// The first edge in that row after `ns`, or (`forwards` false) the last one before it.
std::optional<std::int64_t> next_edge(const Run& run, EdgeRow row, std::size_t lane, std::int64_t ns, bool forwards);

}  // namespace headway::model
