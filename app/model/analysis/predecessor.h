// What the start of an op had to follow.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// The last thing that was over before an op started: another op, or the op's own issue (`op` 0), and when it was over.
struct LatestPredecessor {
    std::int64_t ns = 0;
    OpId op = 0;
};
// Times of devices are a little uncertain: a predecessor that seems to end after the start counts as ending with it.
// `scratch`: any vector, used again.
LatestPredecessor latest_predecessor(const Run& run, OpId id, std::vector<OpId>& scratch);

}  // namespace headway::model
