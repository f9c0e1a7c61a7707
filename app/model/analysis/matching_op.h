// Matches the ops of one run to those of another. The match of an op is the k-th op of its name issued by the same
// line, counted from the start of the same minibatch; outside of minibatches, from the start of the same part of
// the run (warm-up, measured). If the runs did not issue the same ops from the same lines (edited program, other
// file), it is the k-th op with the same name and shapes. Matching is symmetric.
//
// The index is built by a walk over all ops, in steps, so that a window can draw frames in between. 8 bytes per op.
//
// Threads: one; the runs must not be updated at the same time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// The ops of one run by origin, each list in the order of issue.
class IssueOrder {
public:
    explicit IssueOrder(const Run& run) : run_(run) {}

    [[nodiscard]] const Run& run() const { return run_; }
    // True if both runs issued the same ops from the same lines, so that lines can be used for matching.
    [[nodiscard]] bool has_lines_of(const IssueOrder& other) const;
    // Indexes newly issued ops for about `budget_ms` (0: all of them); true if more are left.
    bool update(double budget_ms);

private:
    friend OpId matching_op(const IssueOrder& from, OpId op, const IssueOrder& in);
    using Ops = std::vector<OpId>;

    // A range of ops that are counted together: [first, last].
    struct OpRange {
        OpId first = 1, last = 0;
    };
    [[nodiscard]] OpRange minibatch(std::size_t place) const;
    [[nodiscard]] OpRange part(bool warm_up) const;
    [[nodiscard]] OpRange range_of(OpId op) const;
    // The range of this run that corresponds to the one containing `of` in the other run.
    [[nodiscard]] OpRange like(const IssueOrder& other, OpId of) const;
    [[nodiscard]] std::size_t minibatches_before_measuring() const;
    // What the ops that may match each other have in common.
    struct Origin {
        bool outside = false;  // of minibatches
        std::string place;     // file and line, "train.py:11", or the shapes
        std::string name;
        friend auto operator<=>(const Origin&, const Origin&) = default;
    };
    // The same within one run, quicker to find.
    struct OriginInRun {
        core::Line line = 0;  // 0 where it does not matter
        std::uint16_t signature = 0;
        bool outside = false;
        friend bool operator==(const OriginInRun&, const OriginInRun&) = default;
        struct Hash {
            std::size_t operator()(const OriginInRun& of) const {
                return (std::size_t{of.line} << 17) ^ (std::size_t{of.signature} << 1) ^ (of.outside ? 1u : 0u);
            }
        };
    };
    [[nodiscard]] Origin line_key(OpId op) const;
    [[nodiscard]] Origin shape_key(OpId op) const;
    [[nodiscard]] static OpId nth_like(const Ops& from, OpId op, OpRange of, const Ops& in, OpRange range);

    const Run& run_;
    OpId next_ = 1;
    // Cache: the last result of has_lines_of(), and its arguments.
    struct SameLines {
        const IssueOrder* other = nullptr;
        OpId next = 0, its_next = 0;
        bool same = false;
    };
    mutable SameLines same_lines_;
    std::map<Origin, Ops> by_line_, by_shape_;
    std::unordered_map<OriginInRun, Ops*, OriginInRun::Hash> known_lines_, known_shapes_;  // lists of the maps above
};

// Returns 0 if there is no match. Both indices must be up to date.
OpId matching_op(const IssueOrder& from, OpId op, const IssueOrder& in);

}  // namespace headway::model
