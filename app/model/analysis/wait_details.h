// What a wait was spent on: the ops that it was for, and what the frontend waited for at each moment of it.
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

// Of the ops that a wait was for, the one whose end it ended with; 0 when that is not known, or was over before.
[[nodiscard]] OpId ended_by(const Run& run, const Wait& wait);

// A wait's time, by what it went into. At each moment one op was executing that everything later had to follow: the
// last to end, before that the one that it could not begin without, and so on. Between two of them a lane was being
// handed the next op, which is charged to none. The parts add up to the wait; what the learner held is none of the
// others'.
struct WaitSplit {
    std::int64_t before_ns = 0;    // executing ops that were issued before this line
    std::int64_t own_ns = 0;       // executing those that the line itself had issued
    std::int64_t handover_ns = 0;  // all that the next of them needed was there, and its lane had not begun it
    std::int64_t held_ns = 0;      // the learner held lanes back
    std::int64_t return_ns = 0;    // after the last of them had ended, or when nothing was left to do
    std::size_t before_ops = 0, own_ops = 0;  // that had not ended when it began
};
WaitSplit split_of(const Run& run, std::size_t wait);
// These ops, the last first: call(op, ready_ns, begin_ns, end_ns), which returns whether to go on. From ready_ns to
// begin_ns it was handed over, then it executed. The stretches follow each other without a gap, back to the wait's
// begin.
void walk_wait(
    const Run& run, std::size_t wait,
    const std::function<bool(OpId, std::int64_t ready_ns, std::int64_t begin_ns, std::int64_t end_ns)>& call);

// All that is told of a wait when a hand is on it. Of a run of a million ops it takes a tenth of a second; `all` false
// leaves out what takes long (a wait that goes on has no more to tell).
struct WaitDetails {
    std::vector<OpId> causes;  // of the ops that it was for, ascending: the first, or any of them
    std::size_t count = 0;     // all of them
    bool at_least = false;     // they were not all counted
    std::optional<WaitSplit> split;
    struct Share {
        std::string name;
        std::int64_t ns = 0;
        std::size_t ops = 0;
    };
    std::vector<Share> shares;  // of walk_wait(), executing, by the ops' names, the longest first
    bool many = false;          // these were too many to be told apart: `shares` is empty
    // Of a run that is over: what it would have taken without this barrier or blocker, and what it took.
    std::optional<std::int64_t> without_ns;
    std::int64_t total_ns = 0;
    bool too_long = false;  // that is not worked out: the run has more than kReplayed ops
};
inline constexpr std::size_t kWaitCauses = 2'000, kWaitShares = 20'000, kReplayed = 2'000'000;  // ops, at the most
WaitDetails wait_details(const Run& run, std::size_t wait, bool all = true);

// What an op needs, directly or through others, the nearest first: call(needed, by), once for each pair. At most about
// `most` ops are looked at; false where that left some out.
bool walk_needs(const Run& run, OpId op, std::size_t most, const std::function<void(OpId needed, OpId by)>& call);

}  // namespace headway::model
