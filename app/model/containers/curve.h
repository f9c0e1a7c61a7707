// A step curve (headway, live bytes …) from changes that arrive nearly in order, with exact extremes over any interval.
//
// Blocks of kFolded consecutive changes can be folded: only their extremes remain. An interval that touches a folded
// block gets the extremes of the whole block.
//
// Threads: one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/model/containers/blocks.h"

namespace headway::model {

struct Extremes {
    std::int64_t least = 0, most = 0;
    friend bool operator==(const Extremes&, const Extremes&) = default;
};

class Curve {
public:
    static constexpr std::size_t kFolded = kFoldedItems;
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

    // Folds all blocks whose changes are before `before_ns` and not within `kept`, which must be sorted. Changes before
    // `before_ns` must not be added any more.
    struct Kept {
        std::int64_t begin_ns = 0, end_ns = 0;
    };
    void fold(std::int64_t before_ns, std::span<const Kept> kept);
    // Whether the change at `i` was folded: its time and value are not known, only the extremes of its block.
    [[nodiscard]] bool is_folded(std::size_t i) const { return times_.released(i); }

    // What is left of a folded block of kFolded changes: the extremes of its quarters.
    struct FoldedBlock {
        static constexpr std::size_t kQuarters = 4;
        std::size_t block = 0;
        std::array<std::int64_t, kQuarters> begins_ns{};
        std::array<Extremes, kQuarters> extremes{};
        std::int64_t most_at_ns = 0;  // when its largest value began
    };
    [[nodiscard]] std::vector<FoldedBlock> folded_blocks() const;
    struct Point {
        std::int64_t ns = 0, value = 0;
    };
    // A curve from its changes and folded blocks, both ascending. Blocks that do not follow the changes before them,
    // and changes that are not later than what is before them, are left out.
    [[nodiscard]] static Curve restored(std::span<const Point> changes, std::span<const FoldedBlock> blocks);

    [[nodiscard]] std::size_t size() const { return times_.size(); }
    [[nodiscard]] std::int64_t time(std::size_t i) const { return times_[i]; }
    [[nodiscard]] std::int64_t value(std::size_t i) const { return values_[i]; }  // from time(i) to time(i + 1)
    // 0 before the first change; within a folded block its largest value.
    [[nodiscard]] std::int64_t at(std::int64_t ns) const;
    // Whether the value at this time is known exactly.
    [[nodiscard]] bool exact_at(std::int64_t ns) const;
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
    void index_level(std::size_t level, std::size_t first, std::size_t below);
    void find_most();
    void append_folded(const FoldedBlock& block);
    // Over values [first, end), not empty.
    [[nodiscard]] Extremes extremes_of(std::size_t first, std::size_t end) const;
    [[nodiscard]] std::size_t first_after(std::int64_t ns) const;
    void first_not_before(std::span<const std::int64_t> ns, std::vector<std::size_t>& into) const;  // `ns` ascends
    [[nodiscard]] std::size_t before_in(std::size_t level, std::size_t at, std::size_t block, std::int64_t ns) const;
    [[nodiscard]] std::size_t first_not_before(std::int64_t ns) const;

    // What level k has for a block of kFan^(k+1) values.
    template <class T>
    class Level {
    public:
        explicit Level(std::size_t level) : shift_(level == 1 ? 6 : 10) {}
        T& operator[](std::size_t i) { return pieces_[i >> shift_].get()[i & ((std::size_t{1} << shift_) - 1)]; }
        const T& operator[](std::size_t i) const {
            return pieces_[i >> shift_].get()[i & ((std::size_t{1} << shift_) - 1)];
        }
        [[nodiscard]] std::size_t size() const { return size_; }
        void resize(std::size_t size) {
            for (size_ = size; pieces_.size() << shift_ < size;) {
                pieces_.emplace_back(new T[std::size_t{1} << shift_]{});
            }
        }
        // Gives back its elements for one block of kFolded changes. Level 0 and 1 only. They must not be changed any
        // more.
        void release(std::size_t block) { pieces_[block] = placeholder(); }

    private:
        static std::shared_ptr<T[]> placeholder() {
            static const std::shared_ptr<T[]> shared(new T[std::size_t{1} << 10]{});
            return shared;
        }
        unsigned shift_;  // one piece has 2^shift_ elements: at levels 0 and 1 those of kFolded changes
        std::vector<std::shared_ptr<T[]>> pieces_;
        std::size_t size_ = 0;
    };
    static constexpr std::size_t kReleasedLevels = 2;  // those finer than the extremes that a folded block keeps
    static constexpr std::size_t kKeptValues = kFan * kFan * kFan;

    // The block of changes that contains `i`, if it was folded: [first, end).
    struct Range {
        std::size_t first = 0, end = 0;
    };
    [[nodiscard]] std::optional<Range> folded(std::size_t i) const {
        const std::size_t first = i / kFolded * kFolded;
        return i < times_.size() && times_.released(i) ? std::optional(Range{first, first + kFolded}) : std::nullopt;
    }
    // Over changes [first, last), and the value that the first of them changed.
    [[nodiscard]] Extremes between(std::size_t first, std::size_t last) const;

    Blocks<std::int64_t> times_;   // strictly ascending
    Blocks<std::int64_t> values_;  // from times_[i] on
    // levels_[k][b]: extremes of the values in block b, which has kFan^(k+1) of them; starts_[k][b]: its first
    // time. The top level has one block.
    std::vector<Level<Extremes>> levels_;
    std::vector<Level<std::int64_t>> starts_;
    std::vector<std::int64_t> most_at_of_;  // by block of kFolded changes, if folded: when its largest value began
    std::size_t fold_from_ = 0;             // the first block that fold() has not looked at
    std::int64_t folded_until_ns_ = std::numeric_limits<std::int64_t>::min();
    std::vector<Change> added_;
    std::vector<Change> tail_;  // scratch
    std::int64_t sampled_ = 0;  // the value last set
    std::int64_t most_ = 0, most_at_ = 0;
};

}  // namespace headway::model
