// Checks a finished recording for consistency with its own issue records. Dependencies are derived from the buffer ids
// alone; no code is shared with the runtime:
//
// - every op that was issued was executed once, in the lane it was issued to;
// - a lane is a FIFO: one op after the other, in the order of issue;
// - no op began before it was issued, nor before the end of the ops it depends on: the last writer of what it reads,
// and the last writer and all later readers of what it overwrites;
// - no wait ended before the ops that it claims to have waited for;
// - no buffer is used after it was dropped, and no record was lost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/trace/recorder.h"

namespace headway {

struct TraceSummary {
    std::string problem;  // the first violation; empty if there is none
    std::uint64_t ops = 0;
    std::uint64_t parts = 0;         // of composite ops
    std::uint64_t dependencies = 0;  // number checked
    std::uint64_t across_lanes = 0;  // of these, between different lanes
    std::uint64_t overlapping = 0;   // ops that ran at the same time as an op of another lane
    std::uint64_t waits = 0;
};

// Call after a wait for everything. `later_devices`: the first lanes of the run's devices after the first.
TraceSummary check_trace(trace::Recording& recording, std::uint32_t lanes,
                         const std::vector<std::uint32_t>& later_devices = {});

}  // namespace headway
