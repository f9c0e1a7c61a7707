// What determined the start of an op.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// The latest event that an op had to wait for: the end of another op, or the op's own issue (`op` 0), and its time.
struct LatestPredecessor {
    std::int64_t ns = 0;
    OpId op = 0;
};
// Device times are slightly uncertain: a predecessor that seems to end after the start counts as ending at the
// start. `scratch`: any vector; its memory is reused.
LatestPredecessor latest_predecessor(const Run& run, OpId id, std::vector<OpId>& scratch);

}  // namespace headway::model
