// A step curve (headway, live bytes …) from changes that arrive nearly in order, with exact extremes over any interval.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/model/run/blocks.h"

namespace headway::model {

struct Extremes {
    std::int64_t least = 0, most = 0;
    friend bool operator==(const Extremes&, const Extremes&) = default;
};

class Curve {
public:
    // From `ns` on the value differs by `delta`. Any order; fast when nearly ascending. Changes at the same time
    // are applied together: intermediate values are not visible.
    void add(std::int64_t ns, std::int64_t delta) { added_.push_back({ns, delta}); }
    // From `ns` on the value is `value` (sampled curves). Times must ascend.
    void set(std::int64_t ns, std::int64_t value);

    // Adds every change of the other curve. This curve must be empty.
    void take(const Curve& other);

    // Merges the changes added so far into the curve. Call before reading. The cost is proportional to the changes
    // added and to the existing ones that are later than the earliest of them.
    void settle();
    [[nodiscard]] std::size_t unsettled() const { return added_.size(); }

    [[nodiscard]] std::size_t size() const { return times_.size(); }
    [[nodiscard]] std::int64_t time(std::size_t i) const { return times_[i]; }
    [[nodiscard]] std::int64_t value(std::size_t i) const { return values_[i]; }  // from time(i) to time(i + 1)
    // 0 before the first change.
    [[nodiscard]] std::int64_t at(std::int64_t ns) const;
    // Over [begin, end), including the value at begin.
    [[nodiscard]] Extremes extremes(std::int64_t begin_ns, std::int64_t end_ns) const;
    // The same over [bounds_ns[i], bounds_ns[i + 1]) for every i; one result fewer than bounds, which must ascend. All
    // intervals are looked up together, level by level, so that their cache misses overlap.
    void columns(std::span<const std::int64_t> bounds_ns, std::vector<Extremes>& into) const;
    // The largest value after any change, and the time at which it is first reached; 0 for an empty curve.
    [[nodiscard]] std::int64_t most() const { return most_; }
    [[nodiscard]] std::int64_t most_at_ns() const { return most_at_; }

private:
    struct Change {
        std::int64_t ns;
        std::int64_t delta;
    };
    static constexpr std::size_t kFan = 16;  // a cache line or two of times, values or extremes

    void sort_added();
    void append(const Change& change);
    void index_from(std::size_t first);
    // Over values [first, end), not empty.
    [[nodiscard]] Extremes extremes_of(std::size_t first, std::size_t end) const;
    [[nodiscard]] std::size_t first_after(std::int64_t ns) const;
    void first_not_before(std::span<const std::int64_t> ns, std::vector<std::size_t>& into) const;  // `ns` ascends
    [[nodiscard]] std::size_t before_in(std::size_t level, std::size_t at, std::size_t block, std::int64_t ns) const;
    [[nodiscard]] std::size_t first_not_before(std::int64_t ns) const;

    Blocks<std::int64_t> times_;   // strictly ascending
    Blocks<std::int64_t> values_;  // from times_[i] on
    // levels_[k][b]: extremes of the values in block b, which has kFan^(k+1) of them; starts_[k][b]: its first
    // time. The top level has one block.
    std::vector<std::vector<Extremes>> levels_;
    std::vector<std::vector<std::int64_t>> starts_;
    std::vector<Change> added_;
    std::vector<Change> tail_;  // scratch
    std::int64_t sampled_ = 0;  // the value last set
    std::int64_t most_ = 0, most_at_ = 0;
};

}  // namespace headway::model
