// What a run would have taken without some of its waits.
#include <utility>

#include "app/model/replay/replay.h"
#include "app/model/run/queries.h"
#include "app/model/replay/what_if.h"

namespace headway::model {

WhatIfRun without_waits(const Run& run, const std::function<bool(std::size_t)>& is_left_out, bool with_ops) {
    if (!Replay::can(run)) {
        return {total_ns_of(run), {}};
    }
    Replay replay(run, Replay::Options{is_left_out, nullptr, nullptr, nullptr, false});
    replay.step(0);
    WhatIfRun what_if;
    what_if.total_ns = replay.total_ns();
    if (with_ops) {
        what_if.ops = replay.op_times();
    }
    return what_if;
}

WhatIfRun without_wait(const Run& run, std::size_t wait, bool with_ops) {
    return without_waits(
        run, [wait](std::size_t index) { return index == wait; }, with_ops);
}

namespace {

bool is_of_policy(trace::WaitKind kind) {
    return kind == trace::WaitKind::op_barrier || kind == trace::WaitKind::minibatch_barrier;
}

// The barrier that is kept at the end of a run whose other barriers are removed: without it the program would
// measure only issuing. Among the barriers after all measured ops it is the program's own last one for everything, so
// that work between two of them overlaps with the ops; else its own last one; else the policy's last one. SIZE_MAX if
// there is none, or only the policy's where the program waits for a value or the framework waits by itself.
std::size_t barrier_at_the_end(const Run& run, const Run::Measured& part) {
    std::size_t own = SIZE_MAX, of_policy = SIZE_MAX;
    bool waits_anyway = false;
    for (std::size_t i = part.waits_end; i > part.first_wait && run.waits()[i - 1].issued >= part.last; --i) {
        const Wait& wait = run.waits()[i - 1];
        if (trace::is_blocker(wait.kind) || is_the_frameworks(run, wait.kind)) {
            waits_anyway = true;
        } else if (is_of_policy(wait.kind)) {
            of_policy = of_policy == SIZE_MAX ? i - 1 : of_policy;
        } else if (trace::is_barrier(wait.kind)) {
            if (wait.target == 0 && wait.device < 0) {
                return i - 1;
            }
            own = own == SIZE_MAX ? i - 1 : own;
        }
    }
    return own != SIZE_MAX || waits_anyway ? own : of_policy;
}

}  // namespace

bool is_the_frameworks(const Run& run, trace::WaitKind kind) {
    const RunInfo& info = run.info();
    return kind == trace::WaitKind::op_barrier && info.barrier != "op" && info.barrier_changes.empty() &&
           info.profile != "Headway";  // its programs choose a barrier after each op themselves
}

// The policy's barriers in the warm-up are removed, too, as in a run with the policy `none`.
std::function<bool(std::size_t)> barriers_of(const Run& run) {
    const Run::Measured part = run.measured();
    return [&run, first = part.first_wait, at_the_end = barrier_at_the_end(run, part)](std::size_t index) {
        const trace::WaitKind kind = run.waits()[index].kind;
        return index != at_the_end && !is_the_frameworks(run, kind) &&
               (index >= first ? trace::is_barrier(kind) : is_of_policy(kind));
    };
}

std::function<bool(std::size_t)> blockers_of(const Run& run) {
    return [&run, part = run.measured()](std::size_t index) {
        const Wait& wait = run.waits()[index];
        return index >= part.first_wait && index < part.waits_end && wait.issued < part.last &&
               (trace::is_blocker(wait.kind) || is_the_frameworks(run, wait.kind));
    };
}

WhatIfRun without_barriers(const Run& run, bool with_ops) {
    return without_waits(run, barriers_of(run), with_ops);
}

WhatIfRun without_blockers(const Run& run, bool with_ops) {
    return without_waits(run, blockers_of(run), with_ops);
}

}  // namespace headway::model
