// What bounds a run's time: the side that needs nearly all of it, or the waits that cost a clear share of it. What
// waits cost is computed by replays (replay.h), where no side needs nearly all.
//
// Threads: the thread that updates the run.
#pragma once

#include <cstdint>
#include <memory>

#include "app/model/description/numbers.h"
#include "app/model/run/run.h"

namespace headway::model {

class Replay;

// The measured time that the program spent on imports before its first op. It is shown next to the regime and excluded
// from it: loading modules once says nothing about how the program runs.
[[nodiscard]] std::int64_t imports_before_ops_ns(const Run& run);

// Works in steps. The run must have ended, and both must outlive the walk. `numbers` has all numbers except the regime.
class RegimeWalk {
public:
    RegimeWalk(const Run& run, Numbers& numbers);
    ~RegimeWalk();
    RegimeWalk(const RegimeWalk&) = delete;
    RegimeWalk& operator=(const RegimeWalk&) = delete;

    // Works for about `budget_ms` (0: until done); true if more is left to do. Sets `regime` at the end.
    bool step(double budget_ms);

private:
    const Run& run_;
    Numbers& numbers_;
    std::unique_ptr<Replay> no_barriers_, no_blockers_;
    std::int64_t imports_ns_;
    std::int64_t barriers_cost_ns_ = 0, blockers_cost_ns_ = 0;
    bool bound_by_a_side_ = false;  // a side needs nearly all of the time
};

}  // namespace headway::model
