// What Run::update() keeps between two calls; private to app/model.
#pragma once

#include <vector>

#include "app/model/run/dependencies.h"
#include "app/model/run/memory.h"
#include "app/model/run/run.h"

namespace headway::model {

struct Run::Intake {
    Intake(Curve& live, Curve& pending) : memory(live, pending) {}

    Memory memory;
    std::uint64_t frontend = 0, drops = 0, samples = 0, launches = 0, driver = 0, costs = 0,
                  holds = 0;  // records taken
    std::uint64_t samples_beside = 0;
    std::vector<std::uint64_t> lanes;      // likewise; of those that have recorded anything
    std::vector<std::vector<Part>> parts;  // by lane, whose composite has not been taken
    std::size_t headway_counted = 0;       // ops whose issue is in the headway curve
    std::vector<std::size_t> open_scopes;  // indices, innermost last
    std::int32_t open_minibatch = -1;
};

}  // namespace headway::model
