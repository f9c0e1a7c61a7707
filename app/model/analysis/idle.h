// Why lanes stood idle.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

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

}  // namespace headway::model
