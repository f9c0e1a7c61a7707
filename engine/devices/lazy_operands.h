// What the devices share of the lazy policy, in which an op takes its memory when it starts.
//
// Threads: the lane's that executes the command.
#pragma once

#include <cstdint>

#include "engine/devices/device.h"

namespace headway::devices {

// Fills in the addresses of the inputs, which may be on any device of the run.
void find_lazy_inputs(Device& own, Command& command);

// Records in poison() that there was no memory for the output. `budget`: 0 if there is none.
void fail_without_memory(Device& own, const Command& command, std::uint64_t in_use_bytes, std::uint64_t budget_bytes);

}  // namespace headway::devices
