// Why lanes were idle.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// Idle time of all used lanes in the measured part, by cause.
struct IdleCauses {
    std::int64_t frontend_ns = 0;    // the frontend was at work and had issued nothing more
    std::int64_t barrier_ns = 0;     // the next op had not been issued: the frontend was in a barrier
    std::int64_t blocker_ns = 0;     // … the frontend waited for a value
    std::int64_t limit_ns = 0;       // … the frontend waited for the queue limit or memory
    std::int64_t paused_ns = 0;      // the learner had paused the frontend or held the lanes
    std::int64_t dependency_ns = 0;  // the next op was issued, and waited for ops on other lanes
    std::int64_t link_ns = 0;        // the next op was a copy, and waited for a link that carried another one
    std::int64_t handover_ns = 0;    // the next op was ready: waiting for the worker to wake up
    std::int64_t done_ns = 0;        // all ops had been issued, and none was left for the lane
    // Excludes the learner's time.
    [[nodiscard]] std::int64_t all_ns() const {
        return frontend_ns + barrier_ns + blocker_ns + limit_ns + dependency_ns + link_ns + handover_ns + done_ns;
    }
};
IdleCauses idle_causes(const Run& run);
// The same in steps, so that a window can draw frames in between. The run must not be updated until it is done.
class IdleWalk {
public:
    explicit IdleWalk(const Run& run);
    // Works for about `budget_ms` (0: until done); true if more is left to do.
    bool step(double budget_ms);
    [[nodiscard]] const IdleCauses& causes() const { return causes_; }

private:
    void begin_lane();
    void end_lane();  // the time after the lane's last op

    const Run& run_;
    Run::Measured part_;
    std::size_t lane_ = 0, at_ = 0;  // the next op of the lane
    std::int64_t free_ns_ = 0;
    bool used_ = false;
    OpId next_ = 0;  // the lane's next op, after the measured part
    std::vector<OpId> scratch_;
    IdleCauses causes_;
};
// The idle time of a lane around a given time: the op that ended it (0: none; it may still be running), the op
// before it (0: none), and the causes. Empty if the lane is busy at that time or never ran an op.
struct IdleGap {
    std::int64_t begin_ns = 0, end_ns = 0;
    OpId before = 0, next = 0;
    IdleCauses causes;
};
std::optional<IdleGap> idle_gap(const Run& run, std::size_t lane, std::int64_t ns);

}  // namespace headway::model
