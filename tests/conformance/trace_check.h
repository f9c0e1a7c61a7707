// Checks a finished recording against what its own issue records say must hold. The dependencies are worked out here
// from the buffers' ids alone, and share no code with the runtime:
//
// - every op that was issued was executed once, in the lane it was issued to;
// - a lane is a FIFO: one op after the other, in the order of issue;
// - no op began before it was issued, nor before the end of what it depends on: the last writer of what it reads, and
//   the last writer and the readers since then of what it overwrites;
// - no wait ended before the ops it is said to have waited for;
// - nothing is used after it was dropped, and nothing was lost.
#pragma once

#include <cstdint>
#include <string>

#include "engine/trace/recorder.h"

namespace headway {

struct TraceSummary {
    std::string problem;  // the first thing that does not hold; empty: all is well
    std::uint64_t ops = 0;
    std::uint64_t parts = 0;         // of composite ops
    std::uint64_t dependencies = 0;  // that were checked
    std::uint64_t across_lanes = 0;  // of these, between different lanes
    std::uint64_t overlapping = 0;   // ops that ran while an op of another lane did
    std::uint64_t waits = 0;
};

// After a wait for everything. `second_device`: the first lane of the run's second device.
TraceSummary check_trace(trace::Recording& recording, std::uint32_t lanes,
                         std::uint32_t second_device = core::kMaxLanes);

}  // namespace headway
