// Which op of one run is which of another: the k-th op of its name that its line issued, counted from the begin of the
// same minibatch, or, outside of minibatches, of the same part of the run (warm-up, measured). Where the two did not
// issue the same ops from the same lines (an edited program, another file), lines say nothing, and it is the k-th with
// its name and shapes. The match's match is the op itself.
//
// The count takes a walk over the ops, done in pieces so that a window can go on meanwhile, and 8 bytes an op.
//
// Threads: one, that which updates the runs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// The ops of one run by where they come from, each list in the order of issue.
class IssueOrder {
public:
    explicit IssueOrder(const Run& run) : run_(run) {}

    [[nodiscard]] const Run& run() const { return run_; }
    // Both issued the same ops from the same lines, so that lines say which are the same.
    [[nodiscard]] bool has_lines_of(const IssueOrder& other) const;
    // Takes in what has been issued since. Goes on for about this long (0: to the end); true while there is more.
    bool update(double budget_ms);

private:
    friend OpId matching_op(const IssueOrder& from, OpId op, const IssueOrder& in);
    using Ops = std::vector<OpId>;

    // Ops that are counted together: [first, last].
    struct OpRange {
        OpId first = 1, last = 0;
    };
    [[nodiscard]] OpRange minibatch(std::size_t place) const;
    [[nodiscard]] OpRange part(bool warm_up) const;
    [[nodiscard]] OpRange stretch_of(OpId op) const;
    // The same range of this run as `of` is of another run.
    [[nodiscard]] OpRange like(const IssueOrder& other, OpId of) const;
    [[nodiscard]] std::size_t minibatches_before_measuring() const;
    [[nodiscard]] std::string line_key(OpId op) const;
    [[nodiscard]] std::string shape_key(OpId op) const;
    [[nodiscard]] static OpId nth_like(const Ops& from, OpId op, OpRange of, const Ops& in, OpRange range);

    const Run& run_;
    OpId next_ = 1;
    // The last answer of has_lines_of(), and of what.
    struct SameLines {
        const IssueOrder* other = nullptr;
        OpId next = 0, its_next = 0;
        bool same = false;
    };
    mutable SameLines same_lines_;
    std::map<std::string, Ops> by_line_, by_shape_;  // those outside of minibatches apart
    // The same, in minibatches and outside.
    std::array<std::unordered_map<std::uint64_t, Ops*>, 2> known_lines_;       // by line and signature
    std::array<std::unordered_map<std::uint16_t, Ops*>, 2> known_signatures_;  // by signature
};

// 0: there is none. Both orders have been brought up to date.
OpId matching_op(const IssueOrder& from, OpId op, const IssueOrder& in);

}  // namespace headway::model
