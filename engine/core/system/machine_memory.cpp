#include "engine/core/system/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace headway::core {

namespace {

std::optional<std::uint64_t> number_in(const std::string& path) {
    std::uint64_t number = 0;
    std::ifstream file(path);
    return file >> number ? std::optional(number) : std::nullopt;  // fails for "max", which means no limit
}

}  // namespace

MachineMemory machine_memory(const std::string& root) {
    MachineMemory memory;
    std::ifstream file(root + "proc/meminfo");
    std::string name, unit;
    for (std::uint64_t kib = 0; file >> name >> kib; std::getline(file, unit)) {
        (name == "MemTotal:" ? memory.total : name == "MemAvailable:" ? memory.available : kib) = kib * 1024;
    }
    // Inside a container the container's own control group is at the root.
    const std::string group = root + "sys/fs/cgroup/";
    if (const auto limit = number_in(group + "memory.max"); limit && *limit < memory.total) {
        memory.total = *limit;
        const std::uint64_t used = number_in(group + "memory.current").value_or(0);
        memory.available = std::min(memory.available, *limit - std::min(*limit, used));
    }
    return memory;
}

std::uint64_t default_budget() {
    const std::uint64_t total = machine_memory().total;
    return total == 0 ? kNoBudget : total / 2;
}

}  // namespace headway::core
