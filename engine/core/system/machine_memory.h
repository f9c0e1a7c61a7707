// Size and free part of this computer's memory.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

namespace headway::core {

// A tensor memory budget that was turned off. (A budget of 0 means the default.)
inline constexpr std::uint64_t kNoBudget = ~std::uint64_t{0};

struct MachineMemory {
    std::uint64_t total = 0;      // bytes that this process may use: all, or the limit of its control group
    std::uint64_t available = 0;  // bytes of these that can be allocated without swapping
};
// Reads /proc/meminfo and the control group's memory.max (Linux, Documentation/admin-guide/cgroup-v2.rst). Fields that
// cannot be read are 0. `root` is the folder that contains /proc and /sys.
MachineMemory machine_memory(const std::string& root = "/");

// Default budget in bytes for tensors in host memory: half of the computer's memory, so that a program that runs ahead
// is stopped before the computer runs out. kNoBudget if the size of the memory is unknown.
std::uint64_t default_budget();

}  // namespace headway::core
