// Level of detail: what a row with many ops, issues or waits shows at one zoom. Each one that is wide enough is a piece
// of its own; narrower ones are folded, column by column, into slivers that record how many they stand for.
//
// Columns are summed with the run's indices (app/model/containers/span_index.h), so a row costs in proportion to its
// columns and not to its ops; counts, families and shares are exact.
//
// Threads: any that may read the run.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <vector>

#include "app/timeline/timeline.h"

namespace headway::figure {

struct Piece {
    float x0 = 0, x1 = 0;  // px, clipped to the axis
    // Index in the row: into Lane::ops, op id - 1 for issues, into Run::waits() or Run::works().
    std::uint32_t first = 0;
    std::uint32_t count = 1;                          // more than 1: a sliver
    float share = 1;                                  // share of its duration that was busy
    devices::Family family = devices::Family::other;  // the family that took most of the time
    bool failed = false;                              // at least one of them failed
    friend bool operator==(const Piece&, const Piece&) = default;
};

struct FoldOptions {
    TimeMap map;
    const model::ProgramTime* time = nullptr;  // the run's
    float least_px = 1.5F;                     // narrower ones are folded
    float column_px = 2;                       // width of the columns they are folded into

    [[nodiscard]] float x_px_from_run_ns(std::int64_t ns) const { return map.x_px_from_ns(time->program_ns(ns)); }
    [[nodiscard]] double run_ns_from_x_px(float x) const { return time->run_ns(map.ns_from_x_px(x)); }
};

// Everything that overlaps the axis, in order of time; the counts of the pieces add up to the number of spans.
std::vector<Piece> fold_lane(const model::Run& run, const model::Lane& lane, const FoldOptions& options);
// Many lanes, each folded as by fold_lane(). Other threads start on them at once when there are enough ops to be worth
// it, while the caller does other work on the run.
class LanesFolding {
public:
    LanesFolding(const model::Run& run, std::vector<int> lanes, const FoldOptions& options);
    ~LanesFolding();
    LanesFolding(const LanesFolding&) = delete;
    LanesFolding& operator=(const LanesFolding&) = delete;

    // The pieces of lanes[i]. Folds the lane here when no other thread has started on it, else waits for that thread.
    std::vector<Piece>& pieces(std::size_t i);

private:
    void fold_rest();

    const model::Run& run_;
    std::vector<int> lanes_;
    FoldOptions options_;
    std::vector<std::vector<Piece>> folded_;
    std::atomic<std::size_t> next_ = 0;
    std::vector<std::future<void>> workers_;
};
std::vector<Piece> fold_link(const model::Run& run, const model::Link& link, const FoldOptions& options);
std::vector<Piece> fold_issues(const model::Run& run, const FoldOptions& options);
std::vector<Piece> fold_works(const model::Run& run, const FoldOptions& options);
std::vector<Piece> fold_launches(const model::Run& run, const FoldOptions& options);  // into Run::launches()
std::vector<Piece> fold_waits(const model::Run& run, const FoldOptions& options);

// The indices of the spans that overlap [begin, end] in run time: [first, last).
struct IndexRange {
    std::size_t first = 0, last = 0;
};
IndexRange lane_range(const model::Run& run, const model::Lane& lane, std::int64_t begin_ns, std::int64_t end_ns);
IndexRange link_range(const model::Run& run, const model::Link& link, std::int64_t begin_ns, std::int64_t end_ns);
IndexRange issue_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns);
IndexRange work_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns);
IndexRange launch_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns);
IndexRange wait_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns);

}  // namespace headway::figure
