// What a run would have taken without some of its waits. Computed, not measured: durations are kept, and what began
// when is worked out anew from issues, lanes and dependencies; memory that runs out and cold caches are not considered.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// What the run would have taken without some of its waits; computed.
struct WhatIfRun {
    struct Times {
        std::int64_t begin_ns = kPending, end_ns = kPending;
    };
    // Of the measured part, until its work is done, too, if the recorded one waited for that; pauses of the learner
    // left out.
    std::int64_t total_ns = 0;
    std::vector<Times> ops;  // by id, from op 1; empty unless asked for
};
WhatIfRun without_waits(const Run& run, const std::function<bool(std::size_t)>& is_left_out, bool with_ops = false);
WhatIfRun without_wait(const Run& run, std::size_t wait, bool with_ops = false);
// Without any that the program, or the policy, asked for since measuring began; what needs a value still waits for it.
WhatIfRun without_barriers(const Run& run, bool with_ops = false);

}  // namespace headway::model
