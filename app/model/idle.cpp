// Why lanes stood idle.
#include <algorithm>
#include <array>

#include "app/model/why.h"

namespace headway::model {

namespace {

enum WaitClass : std::size_t { kBarrier, kBlocker, kLimit, kPaused, kClasses };
using WaitTimes = std::array<std::int64_t, kClasses>;

WaitClass class_of(trace::WaitKind kind) {
    return trace::is_barrier(kind)           ? kBarrier
           : trace::is_blocker(kind)         ? kBlocker
           : kind == trace::WaitKind::paused ? kPaused
                                             : kLimit;
}

// The first wait that begins after a moment.
std::size_t wait_after(const Run& run, std::int64_t ns) {
    const auto& waits = run.waits();
    const auto after = std::upper_bound(waits.begin(), waits.end(), ns,
                                        [](std::int64_t t, const Wait& wait) { return t < wait.begin_ns; });
    return static_cast<std::size_t>(after - waits.begin());
}

// How long the frontend stood in waits of each kind, up to any moment.
class WaitSums {
public:
    // Sums wrap around: a damaged recording may hold any times.
    using Sums = std::array<std::uint64_t, kClasses>;

    explicit WaitSums(const Run& run) : run_(run) {
        Sums sum{};
        sums_.reserve(run.waits().size() + 1);
        for (const Wait& wait : run.waits()) {
            sums_.push_back(sum);
            sum[class_of(wait.kind)] += static_cast<std::uint64_t>(wait.end_ns - wait.begin_ns);
        }
        sums_.push_back(sum);
    }
    // Between two moments.
    [[nodiscard]] WaitTimes operator()(std::int64_t begin_ns, std::int64_t end_ns) const {
        const Sums sums = up_to(end_ns);
        const Sums before = up_to(begin_ns);
        WaitTimes between{};
        for (std::size_t i = 0; i < kClasses; ++i) {
            between[i] = std::clamp<std::int64_t>(static_cast<std::int64_t>(sums[i] - before[i]), 0, end_ns - begin_ns);
        }
        return between;
    }

private:
    [[nodiscard]] Sums up_to(std::int64_t ns) const {
        const std::size_t count = wait_after(run_, ns);
        auto sums = sums_[count];
        if (count > 0 && run_.waits()[count - 1].end_ns > ns) {
            const Wait& last = run_.waits()[count - 1];
            sums[class_of(last.kind)] -= static_cast<std::uint64_t>(last.end_ns - ns);
        }
        return sums;
    }

    const Run& run_;
    std::vector<Sums> sums_;  // of all waits before this one
};

// The same for one stretch, without sums over all of them.
WaitTimes waits_between(const Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    WaitTimes times{};
    const auto take = [&](const Wait& wait) {
        const std::int64_t from_ns = std::max(wait.begin_ns, begin_ns);
        const std::int64_t to_ns = std::min(wait.end_ns, end_ns);
        times[class_of(wait.kind)] += std::max<std::int64_t>(to_ns - from_ns, 0);
    };
    const std::size_t inside = wait_after(run, begin_ns);
    for (std::size_t i = inside > 0 ? inside - 1 : 0; i < run.waits().size() && run.waits()[i].begin_ns < end_ns; ++i) {
        take(run.waits()[i]);
    }
    if (run.open_wait()) {
        take(*run.open_wait());
    }
    return times;
}

// The next op had not been issued.
template <class WaitsBetween>
void add_unissued(const WaitsBetween& waits_between, std::int64_t begin_ns, std::int64_t end_ns, IdleCauses& causes) {
    const WaitTimes times = waits_between(begin_ns, end_ns);
    causes.barrier_ns += times[kBarrier];
    causes.blocker_ns += times[kBlocker];
    causes.limit_ns += times[kLimit];
    causes.paused_ns += times[kPaused];
    causes.frontend_ns += end_ns - begin_ns;
    for (const std::int64_t ns : times) {
        causes.frontend_ns -= ns;
    }
}

// From when the lane was free to the start of its next op.
template <class WaitsBetween>
void add_before_op(const Run& run, const WaitsBetween& waits_between, OpId id, std::int64_t free_ns,
                   std::vector<OpId>& scratch, IdleCauses& causes) {
    const Op& op = run.op(id);
    const std::int64_t issued_ns = std::clamp(op.issue_end_ns, free_ns, op.begin_ns);
    add_unissued(waits_between, free_ns, issued_ns, causes);
    std::int64_t ready_ns = issued_ns;
    run.dependencies(id, scratch);
    for (const OpId needed : scratch) {
        if (run.op(needed).end_ns != kPending) {
            ready_ns = std::clamp(run.op(needed).end_ns, ready_ns, op.begin_ns);
        }
    }
    causes.dependency_ns += ready_ns - issued_ns;
    causes.handover_ns += op.begin_ns - ready_ns;
}

}  // namespace

IdleCauses idle_causes(const Run& run) {
    const Run::Measured part = run.measured();
    const WaitSums waits(run);
    IdleCauses causes;
    std::vector<OpId> scratch;
    for (const Lane& lane : run.lanes()) {
        std::int64_t free_ns = part.begin_ns;
        bool used = false;
        const auto first = std::lower_bound(lane.ops.begin(), lane.ops.end(), part.begin_ns,
                                            [&run](OpId id, std::int64_t ns) { return run.op(id).end_ns < ns; });
        for (auto at = first; at != lane.ops.end() && run.op(*at).begin_ns < part.end_ns; ++at) {
            used = true;
            if (run.op(*at).begin_ns > free_ns) {
                add_before_op(run, waits, *at, free_ns, scratch, causes);
            }
            free_ns = std::max(free_ns, run.op(*at).end_ns);
        }
        if (used && free_ns < part.end_ns) {
            add_unissued(waits, free_ns, part.end_ns, causes);
        }
    }
    return causes;
}

std::optional<IdleGap> idle_gap(const Run& run, std::size_t lane, std::int64_t ns) {
    if (lane >= run.lanes().size() || run.lanes()[lane].ops.empty()) {
        return std::nullopt;
    }
    const auto& ops = run.lanes()[lane].ops;
    const auto after = std::partition_point(ops.begin(), ops.end(), [&](OpId id) { return run.op(id).begin_ns <= ns; });
    IdleGap gap;
    gap.begin_ns = std::min(run.measure_begin_ns(), run.op(1).issue_begin_ns);
    if (after != ops.begin()) {
        gap.before = *(after - 1);
        gap.begin_ns = run.op(gap.before).end_ns;
    }
    if (after != ops.end()) {
        gap.next = *after;
        gap.end_ns = run.op(gap.next).begin_ns;
    } else {
        gap.end_ns = run.end_ns();
    }
    if (gap.begin_ns == kPending || ns < gap.begin_ns || ns >= gap.end_ns) {
        return std::nullopt;
    }
    const auto waits = [&run](std::int64_t begin_ns, std::int64_t end_ns) {
        return waits_between(run, begin_ns, end_ns);
    };
    if (gap.next == 0) {
        add_unissued(waits, gap.begin_ns, gap.end_ns, gap.causes);
    } else if (!run.op(gap.next).not_issued) {
        std::vector<OpId> scratch;
        add_before_op(run, waits, gap.next, gap.begin_ns, scratch, gap.causes);
    }
    return gap;
}

}  // namespace headway::model
