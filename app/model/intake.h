// What Run::update() keeps between two calls; private to app/model.
#pragma once

#include <array>
#include <vector>

#include "app/model/dependencies.h"
#include "app/model/memory.h"
#include "app/model/run.h"

namespace headway::model {

struct Run::Intake {
    Intake(Curve& live, Curve& pending) : memory(live, pending) {}

    Memory memory;
    std::uint64_t frontend = 0, drops = 0, samples = 0, launches = 0, driver = 0;  // records taken
    std::uint64_t samples_beside = 0;
    std::array<std::uint64_t, core::kMaxLanes> lanes{};
    std::array<std::vector<Part>, core::kMaxLanes> parts;  // whose composite has not been taken
    std::size_t headway_counted = 0;                       // ops whose issue is in the headway curve
    std::vector<std::size_t> open_scopes;                  // indices, innermost last
    std::int32_t open_minibatch = -1;
};

}  // namespace headway::model
