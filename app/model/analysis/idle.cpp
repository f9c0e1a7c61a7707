// Why lanes were idle.
#include <algorithm>
#include <array>

#include "app/model/analysis/idle.h"
#include "app/model/run/queries.h"
#include "engine/core/time_budget.h"

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

// Index of the first wait that begins after `ns`.
std::size_t wait_after(const Run& run, std::int64_t ns) {
    const auto& waits = run.waits();
    const auto after = std::upper_bound(waits.begin(), waits.end(), ns,
                                        [](std::int64_t t, const Wait& wait) { return t < wait.begin_ns; });
    return static_cast<std::size_t>(after - waits.begin());
}

// The frontend's time in waits of each kind within the range. Waits overlap only in damaged recordings.
WaitTimes waits_between(const Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    WaitTimes times{};
    const auto take = [&](const Wait& wait) {
        const std::int64_t from_ns = std::max(wait.begin_ns, begin_ns);
        const std::int64_t to_ns = std::min(wait.end_ns, end_ns);
        std::int64_t& time = times[class_of(wait.kind)];
        const std::int64_t held_ns = wait.held_ns > 0 ? run.holds().held_ns(from_ns, to_ns) : 0;
        time += std::clamp<std::int64_t>(to_ns - from_ns - held_ns, 0, end_ns - begin_ns - time);
        times[kPaused] += std::clamp<std::int64_t>(held_ns, 0, end_ns - begin_ns - times[kPaused]);
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

// How long the learner had paused the frontend or held a lane within the range.
std::int64_t stopped_between(const Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    std::int64_t ns = run.holds().held_ns(begin_ns, end_ns);
    for (const Hold& pause : run.pauses().within(begin_ns, end_ns)) {
        const std::int64_t from_ns = std::max(pause.begin_ns, begin_ns), to_ns = std::min(pause.end_ns, end_ns);
        ns += to_ns - from_ns - run.holds().held_ns(from_ns, to_ns);
    }
    return ns;
}

// Idle time before the next op was issued.
void add_unissued(const Run& run, std::int64_t begin_ns, std::int64_t end_ns, IdleCauses& causes) {
    const WaitTimes times = waits_between(run, begin_ns, end_ns);
    causes.barrier_ns += times[kBarrier];
    causes.blocker_ns += times[kBlocker];
    causes.limit_ns += times[kLimit];
    causes.paused_ns += times[kPaused];
    causes.frontend_ns += end_ns - begin_ns;
    for (const std::int64_t ns : times) {
        causes.frontend_ns -= ns;
    }
}

// The frontend's own work within the range.
std::int64_t work_between(const Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    const auto& works = run.works();
    auto work = std::partition_point(works.begin(), works.end(), [&](const Work& w) { return w.end_ns <= begin_ns; });
    std::int64_t ns = 0;
    for (; work != works.end() && work->begin_ns < end_ns; ++work) {
        const std::int64_t part_ns = std::min(work->end_ns, end_ns) - std::max(work->begin_ns, begin_ns);
        ns += std::clamp<std::int64_t>(part_ns, 0, end_ns - begin_ns - ns);  // they overlap only in damaged recordings
    }
    return ns;
}

// Idle time after a lane's last op. Until all ops are issued, the lane might still get one; after that, the
// frontend's own work counts, and the rest is done_ns. Ops after the measured part count as issued, too.
void add_behind_last(const Run& run, std::int64_t begin_ns, std::int64_t end_ns, IdleCauses& causes) {
    const Run::Measured part = run.measured();
    const trace::RunState state = run.state();
    const bool measured = end_ns <= part.end_ns;
    const bool over = (measured && part.has_end) || run.program_end_ns() || state == trace::RunState::finished ||
                      state == trace::RunState::failed;
    const auto count = static_cast<OpId>(run.op_count());
    const OpId last = measured ? std::min<OpId>(part.last, count) : count;
    const std::int64_t issued_ns = over && last != 0 ? std::clamp(run.op(last).issue_end_ns, begin_ns, end_ns) : end_ns;
    add_unissued(run, begin_ns, issued_ns, causes);
    const std::int64_t work_ns = work_between(run, issued_ns, end_ns);
    const std::int64_t paused_ns = std::min(stopped_between(run, issued_ns, end_ns), end_ns - issued_ns - work_ns);
    causes.frontend_ns += work_ns;
    causes.paused_ns += paused_ns;
    causes.done_ns += end_ns - issued_ns - work_ns - paused_ns;
}

// When the last of the copies ended that a copy had to wait for on its links, within [ready, begin]; `ready_ns` if it
// had to wait for none.
std::int64_t link_free_ns(const Run& run, OpId id, std::int64_t ready_ns, std::int64_t begin_ns) {
    const std::uint32_t links = run.op(id).links;
    std::int64_t free_ns = ready_ns;
    for (std::size_t i = 0; i < run.links().size() && ready_ns < begin_ns; ++i) {
        const auto& ops = run.links()[i].ops;
        const auto after =
            std::partition_point(ops.begin(), ops.end(), [&](OpId other) { return run.op(other).begin_ns < begin_ns; });
        if ((links >> i & 1) != 0 && after != ops.begin()) {
            free_ns = std::clamp(run.op(*(after - 1)).end_ns, free_ns, begin_ns);
        }
    }
    return free_ns;
}

// Idle time from `free_ns` to the start of the lane's next op, or to `until_ns` if that is earlier.
void add_before_op(const Run& run, OpId id, std::int64_t free_ns, std::int64_t until_ns, std::vector<OpId>& scratch,
                   IdleCauses& causes) {
    const std::int64_t begin_ns = std::min(run.begun_ns(id), until_ns);
    const std::int64_t issued_ns = std::clamp(run.op(id).issue_end_ns, free_ns, begin_ns);
    add_unissued(run, free_ns, issued_ns, causes);
    std::int64_t ready_ns = issued_ns;
    run.dependencies(id, scratch);
    for (const OpId needed : scratch) {
        if (run.op(needed).end_ns != kPending) {
            ready_ns = std::clamp(run.op(needed).end_ns, ready_ns, begin_ns);
        }
    }
    const std::int64_t free_link_ns = link_free_ns(run, id, ready_ns, begin_ns);
    const std::int64_t stopped_before_ns = stopped_between(run, issued_ns, ready_ns);
    const std::int64_t stopped_link_ns = stopped_between(run, ready_ns, free_link_ns);
    const std::int64_t stopped_ns = stopped_between(run, free_link_ns, begin_ns);
    causes.dependency_ns += ready_ns - issued_ns - stopped_before_ns;
    causes.link_ns += free_link_ns - ready_ns - stopped_link_ns;
    causes.handover_ns += begin_ns - free_link_ns - stopped_ns;
    causes.paused_ns += stopped_before_ns + stopped_link_ns + stopped_ns;
}

}  // namespace

IdleWalk::IdleWalk(const Run& run) : run_(run), part_(run.measured()) {
    begin_lane();
}

void IdleWalk::begin_lane() {
    free_ns_ = part_.begin_ns;
    used_ = false;
    next_ = 0;
    if (lane_ < run_.lanes().size()) {
        const auto& ops = run_.lanes()[lane_].ops;
        const auto first = std::lower_bound(ops.begin(), ops.end(), part_.begin_ns,
                                            [this](OpId id, std::int64_t ns) { return ended_before(run_.op(id), ns); });
        at_ = static_cast<std::size_t>(first - ops.begin());
    }
}

void IdleWalk::end_lane() {
    const Running* running = run_.running(lane_);
    if (running != nullptr && next_ == 0) {
        next_ = running->op;
        used_ = used_ || running->begin_ns < part_.end_ns;
    }
    // The next op belongs to the measured part, but begins after it or has not ended.
    if (next_ != 0 && next_ <= part_.last) {
        if (used_ && free_ns_ < part_.end_ns && free_ns_ < run_.begun_ns(next_)) {
            add_before_op(run_, next_, free_ns_, part_.end_ns, scratch_, causes_);
        }
        return;
    }
    const std::int64_t end_ns = std::min(part_.end_ns, run_.recorded_until_ns(lane_));
    if (used_ && free_ns_ < end_ns) {
        add_behind_last(run_, free_ns_, end_ns, causes_);
    }
}

bool IdleWalk::step(double budget_ms) {
    const core::TimeBudget budget(budget_ms);
    constexpr std::size_t kAtOnce = 1024;
    while (lane_ < run_.lanes().size()) {
        const auto& ops = run_.lanes()[lane_].ops;
        for (const std::size_t stop = std::min(ops.size(), at_ + kAtOnce); at_ < stop; ++at_) {
            const Op& op = run_.op(ops[at_]);
            if (op.begin_ns >= part_.end_ns) {
                next_ = ops[at_];
                at_ = ops.size();
                break;
            }
            used_ = true;
            if (op.begin_ns > free_ns_) {
                add_before_op(run_, ops[at_], free_ns_, part_.end_ns, scratch_, causes_);
            }
            free_ns_ = std::max(free_ns_, op.end_ns);
        }
        if (at_ >= ops.size()) {
            end_lane();
            ++lane_;
            begin_lane();
        }
        if (budget.spent()) {
            return lane_ < run_.lanes().size();
        }
    }
    return false;
}

IdleCauses idle_causes(const Run& run) {
    IdleWalk walk(run);
    walk.step(0);
    return walk.causes();
}

std::optional<IdleGap> idle_gap(const Run& run, std::size_t lane, std::int64_t ns) {
    if (lane >= run.lanes().size() || (run.lanes()[lane].ops.empty() && run.running(lane) == nullptr)) {
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
        gap.end_ns = std::min(run.end_ns(), run.recorded_until_ns(lane));
        if (const Running* running = run.running(lane)) {
            gap.next = running->op;
        }
    }
    if (gap.begin_ns == kPending || ns < gap.begin_ns || ns >= gap.end_ns) {
        return std::nullopt;
    }
    if (gap.next == 0) {
        add_behind_last(run, gap.begin_ns, gap.end_ns, gap.causes);
    } else if (!run.op(gap.next).not_issued) {
        std::vector<OpId> scratch;
        add_before_op(run, gap.next, gap.begin_ns, gap.end_ns, scratch, gap.causes);
    }
    return gap;
}

}  // namespace headway::model
