#include "app/model/analysis/time_range_summary.h"

#include "app/model/run/queries.h"

#include <algorithm>
#include <map>
#include <utility>

namespace headway::model {
namespace {

// One row of spans, whose begins and ends ascend.
template <class Times>
class Row {
public:
    Row(const SpanIndex& index, Times times) : index_(index), times_(times) {}

    [[nodiscard]] SpanIndex::Span at(std::size_t i) const { return index_.at(i, times_); }
    [[nodiscard]] std::size_t size() const { return index_.size(); }
    [[nodiscard]] const SpanIndex& index() const { return index_; }
    [[nodiscard]] const Times& times() const { return times_; }
    // The first span that begins at `ns` or later.
    [[nodiscard]] std::size_t first_from(std::int64_t ns) const { return index_.first_from(ns, times_); }
    // The spans that intersect [begin, end), or have no length and begin there: [first, last).
    [[nodiscard]] std::pair<std::size_t, std::size_t> in(std::int64_t begin_ns, std::int64_t end_ns) const {
        std::size_t first = first_from(begin_ns);
        const std::size_t last = first_from(end_ns);
        while (first > 0 && at(first - 1).end_ns > begin_ns) {
            first = index_.item(first - 1).first;
        }
        return {first, std::max(first, last)};
    }
    // Calls call(i, ns) for each of [first, last) that reaches outside the range; `ns`: how much lies outside. Not for
    // folded spans, which are counted as a whole.
    template <class Call>
    void each_cut(std::size_t first, std::size_t last, std::int64_t begin_ns, std::int64_t end_ns, Call call) const {
        const auto outside = [&](const SpanIndex::Span& span) {
            return std::max<std::int64_t>(0, begin_ns - span.begin_ns) +
                   std::max<std::int64_t>(0, span.end_ns - end_ns);
        };
        std::size_t i = first;
        for (; i < last && at(i).begin_ns < begin_ns; i = index_.item(i).end) {
            if (!index_.is_folded(i)) {
                call(i, outside(at(i)));
            }
        }
        for (std::size_t k = last; k > i && at(k - 1).end_ns > end_ns; k = index_.item(k - 1).first) {
            if (!index_.is_folded(k - 1)) {
                call(k - 1, outside(at(k - 1)));
            }
        }
    }

private:
    const SpanIndex& index_;
    Times times_;
};
template <class Times>
Row(const SpanIndex&, Times) -> Row<Times>;

auto lane_row(const Run& run, const Lane& lane) {
    return Row(lane.index, [&run, &lane](std::size_t i) {
        const Op& op = run.op(lane.ops[i]);
        return std::pair{op.begin_ns, op.end_ns};
    });
}
auto issue_row(const Run& run) {
    return Row(run.issue_index(), [&run](std::size_t i) {
        const auto id = static_cast<OpId>(i + 1);
        const std::int64_t begin_ns = run.op(id).issue_begin_ns;
        return std::pair{begin_ns, begin_ns + issue_ns_of(run, id)};
    });
}
auto wait_row(const Run& run) {
    return Row(run.wait_index(), [&run](std::size_t i) {
        return std::pair{run.waits()[i].begin_ns, run.waits()[i].end_ns};
    });
}
auto work_row(const Run& run) {
    return Row(run.work_index(), [&run](std::size_t i) {
        return std::pair{run.works()[i].begin_ns, run.works()[i].end_ns};
    });
}

// Sums over the spans of a row from index `first`, before `last`.
template <class R>
SpanSums sums_between(const R& row, std::size_t first, std::size_t last) {
    return row.index().first(last, row.times()).since(row.index().first(first, row.times()));
}

// The number of spans of a row in a time range, and their time in it. `kFlagHides`: flagged spans do not count.
template <bool kFlagHides, class R>
TimeRangeSum sum_of(const R& row, std::int64_t begin_ns, std::int64_t end_ns) {
    const auto [first, last] = row.in(begin_ns, end_ns);
    const SpanSums sums = sums_between(row, first, last);
    TimeRangeSum sum{last - first - (kFlagHides ? sums.flagged : 0), 0};
    for (const std::uint64_t ns : sums.busy_ns) {
        sum.ns += static_cast<std::int64_t>(ns);
    }
    row.each_cut(first, last, begin_ns, end_ns, [&sum](std::size_t, std::int64_t ns) { sum.ns -= ns; });
    return sum;
}

void add(TimeRangeSum& to, std::uint64_t count, std::uint64_t ns) {
    to.count += count;
    to.ns += static_cast<std::int64_t>(ns);
}

template <class Sums>
TimeRangeSum all_of(const Sums& sums) {
    TimeRangeSum all;
    for (const auto& part : sums) {
        add(all, part.sum.count, static_cast<std::uint64_t>(part.sum.ns));
    }
    return all;
}

constexpr auto kMoreTime = [](const auto& a, const auto& b) {
    return a.sum.ns != b.sum.ns ? a.sum.ns > b.sum.ns : a.sum.count > b.sum.count;
};

}  // namespace

TimeRangeSum TimeRangeSummary::ops() const {
    return all_of(kinds);
}

std::uint64_t issued_ops(const Run& run, OpId first, OpId last) {
    if (first > last) {
        return 0;
    }
    return last - first + 1 - sums_between(issue_row(run), first - 1, last).flagged;
}

TimeRangeSum lane_sum(const Run& run, std::size_t lane, std::int64_t begin_ns, std::int64_t end_ns) {
    return sum_of<false>(lane_row(run, run.lanes()[lane]), begin_ns, end_ns);
}

TimeRangeSum TimeRangeSummary::waits() const {
    return all_of(causes);
}

TimeRangeSummary time_range_summary(const Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    TimeRangeSummary summary;
    summary.begin_ns = begin_ns;
    summary.end_ns = std::max(begin_ns, end_ns);
    summary.lanes.resize(run.lanes().size());
    if (end_ns <= begin_ns) {
        return summary;
    }
    std::map<std::uint16_t, TimeRangeSum> by_signature;
    for (std::size_t l = 0; l < run.lanes().size(); ++l) {
        const Lane& lane = run.lanes()[l];
        const auto row = lane_row(run, lane);
        const auto [first, last] = row.in(begin_ns, end_ns);
        const auto at = [&](std::size_t i) {
            const Op& op = run.op(lane.ops[i]);
            return std::pair{op.signature, op.end_ns - op.begin_ns};
        };
        for (const auto& sum : lane.kinds.between(first, last, at)) {
            add(by_signature[static_cast<std::uint16_t>(sum.kind)], sum.count, sum.busy_ns);
            add(summary.lanes[l], sum.count, sum.busy_ns);
        }
        row.each_cut(first, last, begin_ns, end_ns, [&](std::size_t i, std::int64_t ns) {
            by_signature[run.op(lane.ops[i]).signature].ns -= ns;
            summary.lanes[l].ns -= ns;
        });
    }
    std::map<std::string, TimeRangeSummary::OfKind> by_name;
    for (const auto& [id, sum] : by_signature) {
        const Signature& signature = run.signature(id);
        auto& kind = by_name[signature.name];
        kind.name = signature.name;
        kind.family = signature.family;
        add(kind.sum, sum.count, static_cast<std::uint64_t>(sum.ns));
    }
    for (auto& [name, kind] : by_name) {
        summary.kinds.push_back(std::move(kind));
    }
    std::stable_sort(summary.kinds.begin(), summary.kinds.end(), kMoreTime);

    summary.issues = sum_of<true>(issue_row(run), begin_ns, end_ns);
    summary.works = sum_of<false>(work_row(run), begin_ns, end_ns);

    std::map<trace::WaitKind, TimeRangeSum> by_cause;
    const auto waits = wait_row(run);
    const auto [first, last] = waits.in(begin_ns, end_ns);
    const auto at = [&run](std::size_t i) {
        const Wait& wait = run.waits()[i];
        return std::pair{static_cast<std::uint32_t>(wait.kind), wait.waited_ns()};
    };
    for (const auto& sum : run.wait_kinds().between(first, last, at)) {
        add(by_cause[static_cast<trace::WaitKind>(sum.kind)], sum.count, sum.busy_ns);
    }
    waits.each_cut(first, last, begin_ns, end_ns,
                   [&](std::size_t i, std::int64_t ns) { by_cause[run.waits()[i].kind].ns -= ns; });
    if (const auto& open = run.open_wait(); open && open->begin_ns < end_ns && open->end_ns > begin_ns) {
        add(by_cause[open->kind], 1,
            static_cast<std::uint64_t>(std::min(open->end_ns, end_ns) - std::max(open->begin_ns, begin_ns)));
    }
    for (const auto& [kind, sum] : by_cause) {
        summary.causes.push_back({kind, sum});
    }
    std::stable_sort(summary.causes.begin(), summary.causes.end(), kMoreTime);
    return summary;
}

namespace {

template <class R>
std::optional<std::int64_t> nearest_in(const R& row, std::int64_t ns, std::int64_t reach_ns) {
    std::optional<std::int64_t> best;
    const auto look = [&](std::int64_t edge) {
        const auto away = [ns](std::int64_t t) { return t < ns ? ns - t : t - ns; };
        if (away(edge) <= reach_ns && (!best || away(edge) < away(*best))) {
            best = edge;
        }
    };
    const std::size_t next = row.first_from(ns);
    if (next < row.size()) {
        look(row.at(next).begin_ns);
    }
    // Ends ascend with begins, so the nearest edges belong to the two spans before `ns` or to the next one.
    for (std::size_t i = next >= 2 ? next - 2 : 0; i < std::min(next + 1, row.size()); ++i) {
        look(row.at(i).begin_ns);
        look(row.at(i).end_ns);
    }
    return best;
}

template <class R>
std::optional<std::int64_t> next_in(const R& row, std::int64_t ns, bool forwards) {
    std::optional<std::int64_t> best;
    if (forwards) {
        std::size_t i = row.first_from(ns + 1);
        if (i < row.size()) {
            best = row.at(i).begin_ns;
        }
        for (; i > 0 && row.at(i - 1).end_ns > ns; --i) {
            best = std::min(best.value_or(INT64_MAX), row.at(i - 1).end_ns);
        }
        return best;
    }
    std::size_t i = row.first_from(ns);
    if (i > 0) {
        best = row.at(i - 1).begin_ns;
    }
    while (i > 0 && row.at(i - 1).end_ns >= ns) {
        --i;
    }
    return i > 0 ? std::max(*best, row.at(i - 1).end_ns) : best;
}

// Calls call(row) for one of the run's rows; empty if there is no such lane.
template <class Call>
std::optional<std::int64_t> in_row(const Run& run, EdgeRow row, std::size_t lane, Call call) {
    switch (row) {
        case EdgeRow::lane:
            return lane < run.lanes().size() ? call(lane_row(run, run.lanes()[lane])) : std::nullopt;
        case EdgeRow::issues:
            return call(issue_row(run));
        case EdgeRow::waits:
            return call(wait_row(run));
        case EdgeRow::works:
            return call(work_row(run));
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> nearest_edge(const Run& run, EdgeRow row, std::size_t lane, std::int64_t ns,
                                         std::int64_t reach_ns) {
    return in_row(run, row, lane, [&](const auto& spans) { return nearest_in(spans, ns, reach_ns); });
}

std::optional<std::int64_t> next_edge(const Run& run, EdgeRow row, std::size_t lane, std::int64_t ns, bool forwards) {
    return in_row(run, row, lane, [&](const auto& spans) { return next_in(spans, ns, forwards); });
}

}  // namespace headway::model
