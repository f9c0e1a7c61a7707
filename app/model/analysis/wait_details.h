// How a wait's time was spent: the ops that it was for, and what the frontend waited for at each moment.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// The op whose end ended the wait; 0 if it is unknown or ended before the wait.
[[nodiscard]] OpId ended_by(const Run& run, const Wait& wait);
// In a run that was cut off, a wait may have ended before the ops that it was for: then its time has no parts.
[[nodiscard]] bool was_cut_off(const Run& run, const Wait& wait);

// A wait's time by cause. The critical path through the wait is a chain: the op that ended last, before it the op
// that it had to wait for, and so on. The time between two of them is the hand-over of the next op. The parts add
// up to the wait; the learner's holds are only in held_ns.
struct WaitSplit {
    std::int64_t before_ns = 0;               // executing ops issued before this line
    std::int64_t own_ns = 0;                  // executing ops that the line itself had issued
    std::int64_t handover_ns = 0;             // the next op's dependencies were met, but its lane had not started it
    std::int64_t held_ns = 0;                 // the learner held lanes back
    std::int64_t return_ns = 0;               // after the last of them had ended, or if nothing was left to wait for
    std::size_t before_ops = 0, own_ops = 0;  // unfinished when the wait began
};
WaitSplit split_of(const Run& run, std::size_t wait);
// Visits the ops of this chain, the last one first: call(op, ready_ns, begin_ns, end_ns) returns whether to
// continue. The op was handed over from ready_ns to begin_ns, then executed. The time ranges are contiguous, back
// to the wait's begin.
void walk_wait(
    const Run& run, std::size_t wait,
    const std::function<bool(OpId, std::int64_t ready_ns, std::int64_t begin_ns, std::int64_t end_ns)>& call);

// Details of the hovered wait. Takes about 0.1 s for a run of a million ops. `all` false: leaves out the slow parts
// (a wait in progress has none of these).
struct WaitDetails {
    std::vector<OpId> causes;  // the first of the ops that it was for, ascending; any of them if `at_least`
    std::size_t count = 0;     // all of them
    bool at_least = false;     // count is a lower bound
    std::optional<WaitSplit> split;
    struct Share {
        std::string name;
        std::int64_t ns = 0;
        std::size_t ops = 0;
    };
    std::vector<Share> shares;  // execution times in walk_wait() by op name, longest first
    bool many = false;          // too many ops for a breakdown: `shares` is empty
    // For a run that has ended: its total without this barrier or blocker (computed), and the actual total.
    std::optional<std::int64_t> without_ns;
    std::int64_t total_ns = 0;
    bool too_long = false;  // without_ns is not computed: the run has more than kReplayed ops
};
inline constexpr std::size_t kWaitCauses = 2'000, kWaitShares = 20'000, kReplayed = 2'000'000;  // limits, in ops
WaitDetails wait_details(const Run& run, std::size_t wait, bool all = true);

// Visits the direct and indirect dependencies of an op, nearest first: call(needed, by), once per pair. Visits at
// most about `most` ops; returns false if some were left out.
bool walk_needs(const Run& run, OpId op, std::size_t most, const std::function<void(OpId needed, OpId by)>& call);

}  // namespace headway::model
