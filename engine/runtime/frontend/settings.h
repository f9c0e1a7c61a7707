// What a run is started with.
#pragma once

#include <cstdint>

#include "engine/devices/host_costs.h"
#include "engine/memory/pool.h"
#include "engine/trace/format.h"

namespace headway::runtime {

struct Settings {
    memory::FreePolicy free_policy = memory::FreePolicy::finish;
    std::uint64_t budget_bytes = 0;  // 0: none
    std::uint32_t queue_limit = 0;   // 0: none
    trace::BarrierPolicy barrier;    // as_written: the program's own barriers
    std::uint64_t seed = 0;
    bool record = true;   // turned off only to measure the recorder's cost
    bool gather = false;  // see GraphBuilder::set_gathering()
    // Values are read with a copy op in the GPU's stream (see Waits::read_in_stream()), like a framework with one
    // stream and stream-ordered copies.
    bool copies_in_stream = false;
    bool program_streams = false;  // the program orders its streams itself, from the first op on (ProgramStreams)
    devices::HostCosts host;       // virtual time: costs of the program's own work
};

}  // namespace headway::runtime
