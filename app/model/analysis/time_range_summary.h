// What a stretch of a run holds: ops by kind and by lane, issues, waits by cause; each cut at the stretch's ends. And
// where in time the nearest edge is, for hands that measure.
//
// Exact, from the run's indices: the cost does not grow with the ops in the summary.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// Something counts when a part of it lies in [begin, end), or when it takes no time and begins there.
struct TimeRangeSum {
    std::uint64_t count = 0;
    std::int64_t ns = 0;  // what of it lies in the stretch
    friend bool operator==(const TimeRangeSum&, const TimeRangeSum&) = default;
};

struct TimeRangeSummary {
    struct OfKind {
        std::string name;  // of the op: "matmul", whatever its shapes
        devices::Family family = devices::Family::other;
        TimeRangeSum sum;
    };
    struct OfCause {
        trace::WaitKind kind = trace::WaitKind::waitall;
        TimeRangeSum sum;
    };
    std::int64_t begin_ns = 0, end_ns = 0;
    std::vector<OfKind> kinds;        // the most time first
    std::vector<TimeRangeSum> lanes;  // as in Run::lanes()
    TimeRangeSum issues;
    TimeRangeSum works;           // the frontend's own
    std::vector<OfCause> causes;  // of waits, the one that goes on included; the most time first
    [[nodiscard]] TimeRangeSum ops() const;
    [[nodiscard]] TimeRangeSum waits() const;
};
// Times of the run; an empty stretch when end <= begin.
TimeRangeSummary time_range_summary(const Run& run, std::int64_t begin_ns, std::int64_t end_ns);

// How many of the ops with these ids the trace tells the issue of: all, but in traces of other programs.
std::uint64_t issued_ops(const Run& run, OpId first, OpId last);

// The ops of one lane alone.
TimeRangeSum lane_sum(const Run& run, std::size_t lane, std::int64_t begin_ns, std::int64_t end_ns);

// The begin or end nearest to `ns`, and no farther than `reach_ns`, of a span in one row.
enum class EdgeRow : std::uint8_t { lane, issues, waits, works };
std::optional<std::int64_t> nearest_edge(const Run& run, EdgeRow row, std::size_t lane, std::int64_t ns,
                                         std::int64_t reach_ns);
// The first begin or end in that row after `ns`, or (forwards false) the last before it.
std::optional<std::int64_t> next_edge(const Run& run, EdgeRow row, std::size_t lane, std::int64_t ns, bool forwards);

}  // namespace headway::model
