// Questions about a run that its records answer: when ops had ended, what a wait was for, how long the run took.
//
// Threads: any that may read the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// Sums of times wrap around instead of overflowing: a damaged recording may contain any times.
inline void add_to(std::int64_t& sum, std::int64_t value) {
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(value));
}

// How much of [begin, end) lies in the measured part.
inline std::int64_t clipped(std::int64_t begin, std::int64_t end, const Run::Measured& measured) {
    return std::max<std::int64_t>(std::min(end, measured.end_ns) - std::max(begin, measured.begin_ns), 0);
}

// Whether no part of the op's execution lies at `ns` or later. One of no length lies where it begins.
inline bool ended_before(const Op& op, std::int64_t ns) {
    return op.end_ns < ns || (op.end_ns == ns && op.begin_ns < ns);
}

// The last op whose issue had begun at `ns`; 0: none. Issues are ordered in time, so this is a binary search.
inline OpId last_issued_at(const Run& run, std::int64_t ns) {
    OpId low = 0;
    auto high = static_cast<OpId>(run.op_count());
    while (low < high) {
        const OpId middle = low + (high - low + 1) / 2;
        if (run.op(middle).issue_begin_ns <= ns) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// Calls call(buffer) for each; the same buffer may come more than once.
template <class Call>
void each_touched(const Run& run, OpId id, Call call) {
    const Op& op = run.op(id);
    for (const BufferId buffer : {op.out, op.in0, op.in1}) {
        if (buffer != 0) {
            call(buffer);
        }
    }
    if (op.more_inputs) {
        for (const BufferId buffer : run.more_inputs(id)) {
            call(buffer);
        }
    }
    if (op.more_outputs) {
        for (const MoreOutput& output : run.more_outputs(id)) {
            call(output.buffer);
        }
    }
}

// The frontend's time for issuing the op; 0 if it was issued by the same launch as the previous op.
[[nodiscard]] std::int64_t issue_ns_of(const Run& run, OpId id);

// When all ops up to this one had ended (with `device`: those on that device); kPending if some never did.
[[nodiscard]] std::int64_t finished_ns(const Run& run, OpId through, int device = -1);
// Whether all ops that had been issued when the wait began had ended when it did.
[[nodiscard]] bool waited_for_all(const Run& run, const Wait& wait);
// The unfinished ops that a wait was for, at its start: those of its target and all that these depend on.
// Ascending, at most `limit`; `count`, if given, receives the full count. Over all waits of a run the cost is
// proportional to the ops. For a wait for a value or one device at most `most` ops are searched, in no
// particular order, and only these are counted.
[[nodiscard]] std::vector<OpId> caused_by(const Run& run, const Wait& wait, std::size_t limit = 1000,
                                          std::size_t* count = nullptr, std::size_t most = SIZE_MAX);

// The learner's pauses in one wait, within this part of the run; in the wait and the hold that are still open; and in
// the whole part.
[[nodiscard]] std::int64_t paused_in(const Run& run, const Wait& wait, const Run::Measured& part);
[[nodiscard]] std::int64_t paused_in_open_wait(const Run& run, const Run::Measured& part);
[[nodiscard]] std::int64_t paused_ns_of(const Run& run, const Run::Measured& part);
// Of the measured part.
[[nodiscard]] std::int64_t paused_ns_of(const Run& run);
// Run::pauses(), and what has been paused so far of the wait and the hold that are still open.
[[nodiscard]] Holds pauses_until_now(const Run& run);
// The program's time between two moments: without the learner's pauses.
[[nodiscard]] std::int64_t unpaused_ns(const Holds& pauses, std::int64_t begin_ns, std::int64_t end_ns);
// Calls call(pause) for a pause, or for each of the holds that another wait contains.
template <class Call>
void each_pause(const Holds& holds, const Wait& wait, Call call) {
    if (wait.kind == trace::WaitKind::paused) {
        call(Hold{wait.begin_ns, wait.end_ns, 0});
    } else if (wait.held_ns > 0) {
        for (const Hold& hold : holds.within(wait.begin_ns, wait.end_ns)) {
            call(Hold{std::max(hold.begin_ns, wait.begin_ns), std::min(hold.end_ns, wait.end_ns), 0});
        }
    }
}
// The duration of the measured part without the learner's pauses. As in Numbers, but fast.
[[nodiscard]] std::int64_t total_ns_of(const Run& run);
// The largest value of one of the run's curves in the measured part, at least 0.
[[nodiscard]] std::uint64_t measured_peak(const Run& run, const Curve& curve);

}  // namespace headway::model
