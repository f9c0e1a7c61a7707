// State that Run::update() keeps between two calls. Private to app/model.
//
// Threads: the one that calls Run::update().
#pragma once

#include <array>
#include <vector>

#include "app/model/run/dependencies.h"
#include "app/model/description/memory.h"
#include "app/model/run/run.h"

namespace headway::model {

struct Run::Intake {
    Intake(Curve& live, Curve& pending) : memory(live, pending) {}

    Memory memory;
    std::uint64_t frontend = 0, drops = 0, samples = 0, launches = 0, driver = 0, costs = 0, holds = 0,
                  orders = 0;  // records taken so far
    std::array<std::uint64_t, core::kMaxDevices> device_samples{};  // of devices after the first; likewise
    std::vector<OpId> transfers;                                    // over links; not in Run::links() yet
    std::int64_t issued_ns = 0;                                     // begin of the last record of the frontend
    std::vector<std::uint64_t> lanes;      // records taken so far, for each lane that has any
    std::vector<std::vector<Part>> parts;  // by lane: parts whose composite op has not been taken yet
    std::size_t headway_counted = 0;       // ops counted in the headway curve
    std::vector<std::size_t> open_scopes;  // indices, innermost last
    std::int32_t open_minibatch = -1;
};

}  // namespace headway::model
