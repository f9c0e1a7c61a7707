// Why a run took the time that it took: what a wait was spent on, the path through frontend and backend that no second
// could have been saved beside, why lanes stood idle, and what the run would have taken without a wait.
//
// All of it is computed from the recording. The last one is no measurement: durations are kept, and what began when is
// worked out anew from issues, lanes and dependencies. It knows nothing of memory that runs out or caches that get
// cold.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/model/run.h"

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
struct WaitFacts {
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
WaitFacts facts_of(const Run& run, std::size_t wait, bool all = true);

// What an op needs, directly or through others, the nearest first: call(needed, by), once for each pair. At most about
// `most` ops are looked at; false where that left some out.
bool walk_needs(const Run& run, OpId op, std::size_t most, const std::function<void(OpId needed, OpId by)>& call);

// One piece of the critical path. The pieces of a run follow each other without a gap.
struct PathPiece {
    enum class Kind : std::uint8_t {
        frontend,   // the program itself: it computes, or issues ops
        handover,   // all that an op needed was there, and it had not started yet
        execute,    // `op` ran
        hand_back,  // the last op had ended, and the frontend had not gone on yet; `wait`
        limit,      // the frontend waited for something that the recording does not name; `wait`
    };
    Kind kind = Kind::frontend;
    std::int64_t begin_ns = 0, end_ns = 0;
    OpId op = 0;
    int wait = -1;
};
// Backwards from the end of the measured part to its begin.
void walk_critical_path(const Run& run, const std::function<void(const PathPiece&)>& call);
// Pieces on the learner's pauses and holds are left out. The others add up to the measured total where there are none.
struct PathTotals {
    std::int64_t frontend_ns = 0, handover_ns = 0, execute_ns = 0, return_ns = 0, limit_ns = 0;
    std::uint64_t ops = 0;  // on the path
};
PathTotals critical_path(const Run& run);

// The time in which lanes stood idle during the measured part, by what they lacked; over all lanes that were used.
struct IdleCauses {
    std::int64_t frontend_ns = 0;    // the next op had not been issued: the frontend was at work
    std::int64_t barrier_ns = 0;     // … the frontend stood in a barrier
    std::int64_t blocker_ns = 0;     // … it waited for a value
    std::int64_t limit_ns = 0;       // … for the queue limit or memory
    std::int64_t paused_ns = 0;      // the learner had paused the frontend, or held the lanes
    std::int64_t dependency_ns = 0;  // it had been issued, and waited for ops on other lanes
    std::int64_t handover_ns = 0;    // nothing was lacking: waking the lane
    std::int64_t done_ns = 0;        // all ops had been issued, and none was left for it
    // Without the learner's time.
    [[nodiscard]] std::int64_t all_ns() const {
        return frontend_ns + barrier_ns + blocker_ns + limit_ns + dependency_ns + handover_ns + done_ns;
    }
};
IdleCauses idle_causes(const Run& run);
// The same in pieces, so that a window can go on meanwhile; the run stays as it is until then.
class IdleWalk {
public:
    explicit IdleWalk(const Run& run);
    // Goes on for about this long (0: to the end); true while there is more to do.
    bool step(double budget_ms);
    [[nodiscard]] const IdleCauses& causes() const { return causes_; }

private:
    void begin_lane();
    void end_lane();  // what came after its last op

    const Run& run_;
    Run::Measured part_;
    std::size_t lane_ = 0, at_ = 0;  // the next op of the lane
    std::int64_t free_ns_ = 0;
    bool used_ = false;
    OpId next_ = 0;  // of the lane, behind the measured part
    std::vector<OpId> scratch_;
    IdleCauses causes_;
};
// The stretch around a moment in which a lane ran nothing: since when and until when, the op that ended it (0: none; it
// may be the one that the lane is at), what came before it (0: none), and why. Empty while the lane is busy, and where
// it never is.
struct IdleGap {
    std::int64_t begin_ns = 0, end_ns = 0;
    OpId before = 0, next = 0;
    IdleCauses causes;
};
std::optional<IdleGap> idle_gap(const Run& run, std::size_t lane, std::int64_t ns);

// What the run would have taken without some of its waits; computed.
struct Ghost {
    struct Times {
        std::int64_t begin_ns = kPending, end_ns = kPending;
    };
    // Of the measured part, until its work is done, too, if the recorded one waited for that; pauses of the learner
    // left out.
    std::int64_t total_ns = 0;
    std::vector<Times> ops;  // by id, from op 1; empty unless asked for
};
Ghost without_waits(const Run& run, const std::function<bool(std::size_t)>& is_left_out, bool with_ops = false);
Ghost without_wait(const Run& run, std::size_t wait, bool with_ops = false);
// Without any that the program, or the policy, asked for since measuring began; what needs a value still waits for it.
Ghost without_barriers(const Run& run, bool with_ops = false);

}  // namespace headway::model
