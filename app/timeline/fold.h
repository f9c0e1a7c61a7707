// Level of detail: what a row of a great many ops, issues or waits shows at one zoom. Each is a piece of its own where
// it is wide enough; what is narrower is folded, column by column, into slivers that know how many they stand for.
//
// What shares a column is looked up in the run's indices (model/span_index.h), so that a row costs by its columns;
// counts, families and shares are exact.
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
    float x0 = 0, x1 = 0;  // px, cut at the axis's ends
    // Index in the row: into Lane::ops, op id - 1 for issues, into Run::waits() or Run::works().
    std::uint32_t first = 0;
    std::uint32_t count = 1;                          // more than one: a sliver
    float share = 1;                                  // of its time that was busy
    devices::Family family = devices::Family::other;  // that took most of the time
    bool failed = false;                              // at least one of them
    friend bool operator==(const Piece&, const Piece&) = default;
};

struct FoldOptions {
    TimeMap map;
    std::int64_t origin_ns = 0;  // the run's time at 0 on the axis
    float least_px = 1.5F;       // narrower ones are folded
    float column_px = 2;         // into columns this wide
};

// Everything that touches the axis, in order; the counts add up to it.
std::vector<Piece> fold_lane(const model::Run& run, const model::Lane& lane, const FoldOptions& options);
// Many lanes, each as fold_lane() gives it. Other threads begin with them at once where they are worth that, while the
// caller has other things to do with the run.
class LanesFolding {
public:
    LanesFolding(const model::Run& run, std::vector<int> lanes, const FoldOptions& options);
    ~LanesFolding();
    LanesFolding(const LanesFolding&) = delete;
    LanesFolding& operator=(const LanesFolding&) = delete;

    // Of lanes[i]; folds what nobody has begun, and waits for the others.
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
std::vector<Piece> fold_issues(const model::Run& run, const FoldOptions& options);
std::vector<Piece> fold_works(const model::Run& run, const FoldOptions& options);
std::vector<Piece> fold_launches(const model::Run& run, const FoldOptions& options);  // into Run::launches()
std::vector<Piece> fold_waits(const model::Run& run, const FoldOptions& options);

// The indices of what touches [begin, end] in the run's time: [first, last).
struct IndexRange {
    std::size_t first = 0, last = 0;
};
IndexRange lane_range(const model::Run& run, const model::Lane& lane, std::int64_t begin_ns, std::int64_t end_ns);
IndexRange issue_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns);
IndexRange work_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns);
IndexRange launch_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns);
IndexRange wait_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns);

}  // namespace headway::figure
