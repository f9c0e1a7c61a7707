// Ops whose times the recording does not know, only bounds of them (trace::DriverKind::bounded_ops).
//
// Threads: any that may read the run.
#pragma once

#include <algorithm>
#include <cstdint>

#include "app/model/run/run.h"

namespace headway::model {

// How many ops of the recording.
[[nodiscard]] inline std::uint64_t bounded_ops(const Run& run) {
    std::uint64_t count = 0;
    for (const DriverEvent& event : run.driver_events()) {
        count += event.kind == trace::DriverKind::bounded_ops ? event.bytes : 0;
    }
    return count;
}
[[nodiscard]] inline bool has_driver_calls(const Run& run) {
    const auto& events = run.driver_events();
    return std::any_of(events.begin(), events.end(),
                       [](const DriverEvent& event) { return event.kind != trace::DriverKind::bounded_ops; });
}

}  // namespace headway::model
