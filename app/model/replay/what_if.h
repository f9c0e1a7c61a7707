// The duration of a run without some of its waits. Computed, not measured: op durations are kept, and begin times
// are recomputed from issues, lanes and dependencies. Exhausted memory and cold caches are not modelled.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

struct WhatIfRun {
    struct Times {
        std::int64_t begin_ns = kPending, end_ns = kPending;
    };
    // The measured part. Includes the end of its ops if the recorded part waited for them; excludes the learner's
    // pauses.
    std::int64_t total_ns = 0;
    std::vector<Times> ops;  // by id, from op 1; empty unless asked for
};
WhatIfRun without_waits(const Run& run, const std::function<bool(std::size_t)>& is_left_out, bool with_ops = false);
WhatIfRun without_wait(const Run& run, std::size_t wait, bool with_ops = false);
// Without the barriers that the program or the policy requested since measuring began. Blockers remain: code that
// needs a value still waits for it.
WhatIfRun without_barriers(const Run& run, bool with_ops = false);
// Without the waits before the last measured op that the program did not ask for: blockers, and what a framework waits
// for by itself. Barriers remain.
WhatIfRun without_blockers(const Run& run, bool with_ops = false);

// A wait that the framework makes by itself, whatever the policy: PyTorch waits for each op on a CPU.
bool is_the_frameworks(const Run& run, trace::WaitKind kind);
// Which waits these two leave out, by index into Run::waits(). The run must outlive the result.
std::function<bool(std::size_t wait)> barriers_of(const Run& run);
std::function<bool(std::size_t wait)> blockers_of(const Run& run);

}  // namespace headway::model
