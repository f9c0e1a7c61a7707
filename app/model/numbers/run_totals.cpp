// Run: its totals, and the numbers that change while it runs.
#include <algorithm>
#include <cmath>
#include <set>

#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/sums.h"

namespace headway::model {

std::int64_t Run::issue_ns(OpId id) const {
    const Op& op = ops_[id - 1];
    const bool same = id > 1 && ops_[id - 2].issue_begin_ns == op.issue_begin_ns &&
                      ops_[id - 2].issue_end_ns == op.issue_end_ns && !ops_[id - 2].not_issued;
    return same ? 0 : op.issue_end_ns - op.issue_begin_ns;
}

std::int64_t Run::paused_in(const Wait& wait, const Measured& part) const {
    return wait.kind == trace::WaitKind::paused ? clipped(wait.begin_ns, wait.end_ns, part)
           : wait.held_ns == 0
               ? 0
               : holds_.held_ns(std::max(wait.begin_ns, part.begin_ns), std::min(wait.end_ns, part.end_ns));
}

std::int64_t Run::paused_in_open_wait(const Measured& part) const {
    return (open_wait_ ? paused_in(*open_wait_, part) : 0) +
           (open_hold_ ? clipped(open_hold_->begin_ns, open_hold_->end_ns, part) : 0);
}

std::int64_t Run::paused_ns() const {
    const Measured part = measured();
    constexpr auto kPaused = trace::WaitKind::paused;
    std::int64_t ns = paused_in_open_wait(part);
    // Waits do not overlap: find those that intersect a hold by the hold's begin.
    std::set<std::size_t> held;
    for (const Hold& hold : holds_.list()) {
        const auto begin = waits_.begin() + static_cast<std::ptrdiff_t>(part.first_wait);
        const auto end = waits_.begin() + static_cast<std::ptrdiff_t>(part.waits_end);
        auto wait = std::partition_point(begin, end, [&](const Wait& w) { return w.end_ns <= hold.begin_ns; });
        for (; wait != end && wait->begin_ns < hold.end_ns; ++wait) {
            held.insert(static_cast<std::size_t>(wait - waits_.begin()));
        }
    }
    for (const std::size_t i : held) {
        add_to(ns, waits_[i].kind == kPaused ? 0 : paused_in(waits_[i], part));
    }
    const auto kinds = wait_kinds_.between(part.first_wait, part.waits_end, [this](std::size_t i) {
        return std::pair{static_cast<std::uint32_t>(waits_[i].kind), waits_[i].waited_ns()};
    });
    for (const auto& sum : kinds) {
        if (sum.kind == static_cast<std::uint32_t>(kPaused)) {
            add_to(ns, static_cast<std::int64_t>(sum.busy_ns));
        }
    }
    // Subtract what lies outside. Waits do not overlap, so only the first and the last ones can reach outside.
    std::size_t first = part.first_wait, end = part.waits_end;
    const auto cut = [&](const Wait& wait) {
        if (wait.kind == kPaused) {
            add_to(ns, clipped(wait.begin_ns, wait.end_ns, part) - (wait.end_ns - wait.begin_ns));
        }
    };
    for (; first < end && waits_[first].begin_ns < part.begin_ns; ++first) {
        cut(waits_[first]);
    }
    for (; first < end && waits_[end - 1].end_ns > part.end_ns; --end) {
        cut(waits_[end - 1]);
    }
    return ns;
}

std::int64_t Run::total_ns() const {
    const Measured part = measured();
    return std::max<std::int64_t>(part.end_ns - part.begin_ns - paused_ns(), 0);
}

void Run::renew(Numbers& numbers) const {
    const Measured part = measured();
    numbers.capabilities = capabilities();
    numbers.cut_off = cut_off();
    if (numbers.cut_off) {  // remove the prediction made before it was cut off
        numbers.predicted = false;
        numbers.regime = Regime::unknown;
        numbers.predicted_ns = numbers.formula_ns = numbers.held_ns = 0;
        numbers.prediction_parts.clear();
        numbers.prediction_formula.clear();
        numbers.no_formula.clear();
    }
    numbers.begin_ns = part.begin_ns;
    numbers.end_ns = part.end_ns;
    numbers.ops = part.last >= part.first ? part.last - part.first + 1 : 0;
    numbers.lost_records = lost_records();
    numbers.total_ns = std::max<std::int64_t>(part.end_ns - part.begin_ns - numbers.paused_ns, 0);
    numbers.headway_max = measured_peak(headway_);
    numbers.live_bytes_peak = measured_peak(live_);
    numbers.pending_bytes_peak = measured_peak(pending_);
    if (clock() != trace::ClockKind::virtual_ns) {
        numbers.reserved_bytes_peak = measured_peak(reserved_);
        if (numbers.reserved_bytes_peak == 0) {
            numbers.reserved_bytes_peak = static_cast<std::uint64_t>(std::max<std::int64_t>(reserved_.most(), 0));
        }
        // Live tensors are part of the reserved memory; an earlier peak may have hidden a later, smaller one.
        numbers.reserved_bytes_peak = std::max(numbers.reserved_bytes_peak, numbers.live_bytes_peak);
        numbers.rss_bytes_peak = measured_peak(resident_);
        if (numbers.rss_bytes_peak == 0) {  // the measured part is shorter than the sampling interval
            numbers.rss_bytes_peak = static_cast<std::uint64_t>(std::max<std::int64_t>(resident_.most(), 0));
        }
    }
}

std::uint64_t Run::measured_peak(const Curve& curve) const {
    const Measured part = measured();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(curve.extremes(part.begin_ns, part.end_ns + 1).most, 0));
}

}  // namespace headway::model
