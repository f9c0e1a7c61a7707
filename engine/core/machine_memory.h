// The memory of this machine.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

namespace headway::core {

// A budget of tensors that was turned off, where 0 stands for the default.
inline constexpr std::uint64_t kNoBudget = ~std::uint64_t{0};

struct MachineMemory {
    std::uint64_t total = 0;      // bytes that this process may use: all, or what its control group is given
    std::uint64_t available = 0;  // of these, bytes that can be taken without swapping
};
// From /proc/meminfo and the control group's memory.max (Linux, Documentation/admin-guide/cgroup-v2.rst). Zeros where
// they cannot be read. `root` is the folder that /proc and /sys are in.
MachineMemory machine_memory(const std::string& root = "/");

// Bytes that tensors in host memory may take where nobody chose a budget: half of the machine's memory, so that a
// program that runs ahead is stopped before the machine is. kNoBudget where the machine's memory is not known.
std::uint64_t default_budget();

}  // namespace headway::core
