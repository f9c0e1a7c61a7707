#include "app/model/run/queries.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "app/model/run/devices.h"

namespace headway::model {

namespace {

// A lane runs its ops in the order of issue, so both ids and times ascend.

// How many of the ops that the lane executed were issued up to this one.
std::size_t issued_through(const Lane& lane, OpId id) {
    return static_cast<std::size_t>(std::upper_bound(lane.ops.begin(), lane.ops.end(), id) - lane.ops.begin());
}

// How many of the lane's ops had ended at `ns`.
std::size_t finished_at(const Run& run, const Lane& lane, std::int64_t ns) {
    const auto place = std::upper_bound(lane.ops.begin(), lane.ops.end(), ns,
                                        [&run](std::int64_t t, OpId id) { return t < run.op(id).end_ns; });
    return static_cast<std::size_t>(place - lane.ops.begin());
}

}  // namespace

std::int64_t issue_ns_of(const Run& run, OpId id) {
    const Op& op = run.op(id);
    const bool same = id > 1 && run.op(id - 1).issue_begin_ns == op.issue_begin_ns &&
                      run.op(id - 1).issue_end_ns == op.issue_end_ns && !run.op(id - 1).not_issued;
    return same ? 0 : op.issue_end_ns - op.issue_begin_ns;
}

std::int64_t finished_ns(const Run& run, OpId through, int device) {
    const std::vector<Lane>& lanes = run.lanes();
    std::size_t executed = 0;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const Lane& lane = lanes[i];
        if (device >= 0 && device_of_lane(run, i) != static_cast<std::size_t>(device)) {
            continue;
        }
        if (const std::size_t count = issued_through(lane, through); count > 0) {
            executed += count;
            last = std::max(last, run.op(lane.ops[count - 1]).end_ns);
        }
    }
    return executed == through || device >= 0 ? last : kPending;
}

bool waited_for_all(const Run& run, const Wait& wait) {
    if (wait.target == 0 && wait.device < 0 && wait.waits_through == wait.issued &&
        (trace::is_barrier(wait.kind) || trace::is_blocker(wait.kind))) {
        return true;  // true by definition, whatever the uncertainty of a device's times
    }
    return finished_ns(run, wait.issued) <= wait.end_ns;
}

std::vector<OpId> caused_by(const Run& run, const Wait& wait, std::size_t limit, std::size_t* count, std::size_t most) {
    const std::vector<Lane>& lanes = run.lanes();
    std::vector<OpId> causes;
    std::size_t total = 0;
    if (wait.kind == trace::WaitKind::paused) {
        // Caused by the learner.
    } else if (wait.target != 0 || wait.device >= 0) {
        // The dependencies of a finished op have finished, too, so only unfinished ops are searched. These finish
        // after this wait began, so no later wait visits them again.
        const auto unfinished = [&](OpId id) { return run.op(id).end_ns > wait.begin_ns; };
        std::unordered_set<OpId> seen;
        std::vector<OpId> open, dependencies;
        const bool in_its_lane = wait.stream() >= 0 && wait.target_op != 0 && run.op(wait.target_op).end_ns != kPending;
        if (wait.target_op != 0 && !in_its_lane && unfinished(wait.target_op)) {
            open.push_back(wait.target_op);
            seen.insert(wait.target_op);
        }
        const OpId through = wait.target == 0 ? wait.waits_through : wait.target_op;
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            const Lane& lane = lanes[i];
            if (wait.target == 0 ? device_of_lane(run, i) == static_cast<std::size_t>(wait.device)
                                 : wait.stream() == static_cast<int>(i)) {
                const std::size_t issued = issued_through(lane, through);
                const std::size_t finished = std::min(finished_at(run, lane, wait.begin_ns), issued);
                open.insert(open.end(), lane.ops.begin() + static_cast<std::ptrdiff_t>(finished),
                            lane.ops.begin() + static_cast<std::ptrdiff_t>(issued));
            }
        }
        seen.insert(open.begin(), open.end());
        while (!open.empty() && causes.size() < most) {
            const OpId id = open.back();
            open.pop_back();
            causes.push_back(id);
            run.dependencies(id, dependencies);
            for (const OpId needed : dependencies) {
                if (unfinished(needed) && seen.insert(needed).second) {
                    open.push_back(needed);
                }
            }
        }
        std::sort(causes.begin(), causes.end());
        total = causes.size();
        causes.resize(std::min(limit, total));
    } else {
        const OpId through = std::min<OpId>(wait.waits_through, static_cast<OpId>(run.op_count()));
        std::size_t executed = 0;
        total = through;
        for (const Lane& lane : lanes) {
            const std::size_t issued = issued_through(lane, through);
            const std::size_t finished = std::min(finished_at(run, lane, wait.begin_ns), issued);
            total -= std::min(total, finished);
            executed += issued;
            for (std::size_t i = finished; i < std::min(issued, finished + limit); ++i) {
                causes.push_back(lane.ops[i]);
            }
        }
        if (executed < through) {
            // The run was cut off: ops that never ran are in no lane.
            std::size_t left = std::min<std::size_t>(through - executed, limit);
            for (OpId id = through; id > 0 && left > 0; --id) {
                if (run.op(id).end_ns == kPending) {
                    causes.push_back(id);
                    --left;
                }
            }
        }
        std::sort(causes.begin(), causes.end());
        causes.resize(std::min(limit, causes.size()));
    }
    if (count != nullptr) {
        *count = total;
    }
    return causes;
}

std::int64_t paused_in(const Run& run, const Wait& wait, const Run::Measured& part) {
    return wait.kind == trace::WaitKind::paused ? clipped(wait.begin_ns, wait.end_ns, part)
           : wait.held_ns == 0
               ? 0
               : run.holds().held_ns(std::max(wait.begin_ns, part.begin_ns), std::min(wait.end_ns, part.end_ns));
}

std::int64_t paused_in_open_wait(const Run& run, const Run::Measured& part) {
    const std::optional<Wait>& wait = run.open_wait();
    const std::optional<Hold>& hold = run.open_hold();
    return (wait ? paused_in(run, *wait, part) : 0) + (hold ? clipped(hold->begin_ns, hold->end_ns, part) : 0);
}

std::int64_t paused_ns_of(const Run& run) {
    return paused_ns_of(run, run.measured());
}

std::int64_t unpaused_ns(const Holds& pauses, std::int64_t begin_ns, std::int64_t end_ns) {
    return end_ns > begin_ns ? end_ns - begin_ns - pauses.held_ns(begin_ns, end_ns) : 0;
}

Holds pauses_until_now(const Run& run) {
    Holds pauses = run.pauses();
    if (run.open_wait()) {
        each_pause(run.holds(), *run.open_wait(), [&pauses](const Hold& pause) { pauses.add(pause); });
    }
    if (run.open_hold()) {
        pauses.add(*run.open_hold());
    }
    return pauses;
}

std::int64_t paused_ns_of(const Run& run, const Run::Measured& part) {
    const Waits& waits = run.waits();
    constexpr auto kPaused = trace::WaitKind::paused;
    std::int64_t ns = paused_in_open_wait(run, part);
    // Waits do not overlap: find those that intersect a hold by the hold's begin.
    std::set<std::size_t> held;
    for (const Hold& hold : run.holds().list()) {
        const auto begin = waits.begin() + static_cast<std::ptrdiff_t>(part.first_wait);
        const auto end = waits.begin() + static_cast<std::ptrdiff_t>(part.waits_end);
        auto wait = std::partition_point(begin, end, [&](const Wait& w) { return w.end_ns <= hold.begin_ns; });
        for (; wait != end && wait->begin_ns < hold.end_ns; ++wait) {
            held.insert(static_cast<std::size_t>(wait - waits.begin()));
        }
    }
    for (const std::size_t i : held) {
        add_to(ns, waits[i].kind == kPaused ? 0 : paused_in(run, waits[i], part));
    }
    const auto kinds = run.wait_kinds().between(part.first_wait, part.waits_end, [&waits](std::size_t i) {
        return std::pair{static_cast<std::uint32_t>(waits[i].kind), waits[i].waited_ns()};
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
    for (; first < end && waits[first].begin_ns < part.begin_ns; ++first) {
        cut(waits[first]);
    }
    for (; first < end && waits[end - 1].end_ns > part.end_ns; --end) {
        cut(waits[end - 1]);
    }
    return ns;
}

std::int64_t total_ns_of(const Run& run) {
    const Run::Measured part = run.measured();
    return std::max<std::int64_t>(part.end_ns - part.begin_ns - paused_ns_of(run), 0);
}

std::uint64_t measured_peak(const Run& run, const Curve& curve) {
    const Run::Measured part = run.measured();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(curve.extremes(part.begin_ns, part.end_ns + 1).most, 0));
}

}  // namespace headway::model
