// The critical path: the chain of frontend work, hand-overs and ops that determined the run's duration.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <functional>

#include "app/model/run/run.h"

namespace headway::model {

// One segment of the critical path. The segments are contiguous.
struct PathPiece {
    enum class Kind : std::uint8_t {
        frontend,     // the program computes or issues ops
        handover,     // the op's dependencies were met, but it had not started
        execute,      // `op` ran
        wait_return,  // the last op had ended, but the frontend had not resumed; in `wait`
        limit,        // the frontend waited for something that the recording does not name; in `wait`
    };
    Kind kind = Kind::frontend;
    std::int64_t begin_ns = 0, end_ns = 0;
    OpId op = 0;
    int wait = -1;
};
// Calls `call` for each segment, backwards from the end of the measured part to its start.
void walk_critical_path(const Run& run, const std::function<void(const PathPiece&)>& call);
// Excludes the learner's pauses and holds. Without those the sums add up to the measured total.
struct PathTotals {
    std::int64_t frontend_ns = 0, handover_ns = 0, execute_ns = 0, return_ns = 0, limit_ns = 0;
    std::uint64_t ops = 0;  // on the path
    // The run's, without the learner's pauses and holds.
    [[nodiscard]] std::int64_t total_ns() const {
        return frontend_ns + handover_ns + execute_ns + return_ns + limit_ns;
    }
};
PathTotals critical_path(const Run& run);

}  // namespace headway::model
