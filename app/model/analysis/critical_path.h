// The critical path: the chain of frontend work, hand-overs and ops whose every nanosecond the run had to wait for.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <functional>

#include "app/model/run/run.h"

namespace headway::model {

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

}  // namespace headway::model
