// What bounds a run's time.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "app/model/run/run.h"

namespace headway::model {

// Sets `regime` and `regime_even` from the other numbers. `bound_wait_ns`: time in barriers and blockers before the
// last op.
void choose_regime(Numbers& numbers, std::int64_t bound_wait_ns);

}  // namespace headway::model
