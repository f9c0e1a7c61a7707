#include "app/model/analysis/matching_op.h"

#include <algorithm>

#include "engine/core/time_budget.h"

namespace headway::model {

bool IssueOrder::update(double budget_ms) {
    const core::TimeBudget budget(budget_ms);
    constexpr OpId kAtOnce = 4096;
    const auto end = static_cast<OpId>(run_.op_count()) + 1;
    if (!run_.folded_parts().empty()) {
        return false;  // the order of all its ops is not known any more
    }
    while (next_ < end) {
        for (const OpId stop = std::min(end, next_ + kAtOnce); next_ < stop; ++next_) {
            const Op& op = run_.op(next_);
            const bool outside = op.minibatch < 0;
            Ops*& line = known_lines_[{op.line, op.signature, outside}];
            if (line == nullptr) {
                line = &by_line_[line_key(next_)];
            }
            line->push_back(next_);
            Ops*& shape = known_shapes_[{0, op.signature, outside}];
            if (shape == nullptr) {
                shape = &by_shape_[shape_key(next_)];
            }
            shape->push_back(next_);
        }
        if (budget.spent()) {
            return next_ < end;
        }
    }
    return false;
}

IssueOrder::Origin IssueOrder::line_key(OpId id) const {
    const Op& op = run_.op(id);
    return {op.minibatch < 0, run_.line_text(op.line), run_.signature(op.signature).name};
}

IssueOrder::Origin IssueOrder::shape_key(OpId id) const {
    const Op& op = run_.op(id);
    const Signature& signature = run_.signature(op.signature);
    return {op.minibatch < 0, signature.shapes, signature.name};
}

bool IssueOrder::has_lines_of(const IssueOrder& other) const {
    if (same_lines_.other != &other || same_lines_.next != next_ || same_lines_.its_next != other.next_) {
        const bool same = std::equal(by_line_.begin(), by_line_.end(), other.by_line_.begin(), other.by_line_.end(),
                                     [](const auto& a, const auto& b) { return a.first == b.first; });
        same_lines_ = {&other, next_, other.next_, same};
    }
    return same_lines_.same;
}

std::size_t IssueOrder::minibatches_before_measuring() const {
    const auto& batches = run_.minibatches();
    const OpId first = run_.measured().first;
    const auto found =
        std::partition_point(batches.begin(), batches.end(), [first](const Minibatch& m) { return m.first < first; });
    return static_cast<std::size_t>(found - batches.begin());
}

IssueOrder::OpRange IssueOrder::minibatch(std::size_t place) const {
    const Minibatch& within = run_.minibatches()[place];
    return {within.first, within.issue_end_ns == kPending ? static_cast<OpId>(run_.op_count()) : within.last};
}

IssueOrder::OpRange IssueOrder::part(bool warm_up) const {
    const OpId first = run_.measured().first;
    return warm_up ? OpRange{1, first - 1} : OpRange{first, static_cast<OpId>(run_.op_count())};
}

IssueOrder::OpRange IssueOrder::range_of(OpId id) const {
    const auto batch = run_.op(id).minibatch;
    return batch >= 0 ? minibatch(static_cast<std::size_t>(batch)) : part(id < run_.measured().first);
}

IssueOrder::OpRange IssueOrder::like(const IssueOrder& other, OpId of) const {
    const auto batch = other.run_.op(of).minibatch;
    if (batch < 0) {
        return part(of < other.run_.measured().first);
    }
    // Minibatches are counted from the start of the measured part in both runs.
    const std::int64_t place = batch + static_cast<std::int64_t>(minibatches_before_measuring()) -
                               static_cast<std::int64_t>(other.minibatches_before_measuring());
    return place < 0 || place >= static_cast<std::int64_t>(run_.minibatches().size())
               ? OpRange{}
               : minibatch(static_cast<std::size_t>(place));
}

OpId IssueOrder::nth_like(const Ops& from, OpId op, OpRange of, const Ops& in, OpRange range) {
    const auto first = std::lower_bound(from.begin(), from.end(), of.first);
    const auto nth = std::lower_bound(first, from.end(), op) - first;
    const auto match_first = std::lower_bound(in.begin(), in.end(), range.first);
    if (in.end() - match_first <= nth) {
        return 0;
    }
    const OpId match = *(match_first + nth);
    return match <= range.last ? match : 0;
}

OpId matching_op(const IssueOrder& from, OpId op, const IssueOrder& in) {
    if (op == 0 || op > from.run_.op_count() || !from.run_.folded_parts().empty() || !in.run_.folded_parts().empty()) {
        return 0;
    }
    const IssueOrder::OpRange of = from.range_of(op);
    const IssueOrder::OpRange range = in.like(from, op);
    const bool lines = from.has_lines_of(in);
    const IssueOrder::Origin key = lines ? from.line_key(op) : from.shape_key(op);
    const auto& own_ops = lines ? from.by_line_ : from.by_shape_;
    const auto& its_ops = lines ? in.by_line_ : in.by_shape_;
    const auto own = own_ops.find(key), its = its_ops.find(key);
    return own == own_ops.end() || its == its_ops.end() ? 0
                                                        : IssueOrder::nth_like(own->second, op, of, its->second, range);
}

}  // namespace headway::model
