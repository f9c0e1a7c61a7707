#include "engine/devices/simulated/links.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/assert.h"

namespace headway::devices {

namespace {

constexpr const char* kWords[] = {"pcie", "pairs", "ring"};

}  // namespace

const char* word_of(Topology topology) {
    return kWords[static_cast<std::size_t>(topology)];
}

std::optional<Topology> topology_called(std::string_view word) {
    const auto found = std::find(std::begin(kWords), std::end(kWords), word);
    return found == std::end(kWords) ? std::nullopt : std::optional(static_cast<Topology>(found - std::begin(kWords)));
}

std::uint64_t copied_bytes(std::uint64_t out_bytes, std::uint64_t moved_bytes) {
    return out_bytes != 0 ? out_bytes
                          : moved_bytes / 2;  // a copy into program memory has no output; it reads and writes
}

Links::Links(Topology topology, std::uint32_t gpus, LinkCosts costs)
    : topology_(topology), gpus_(gpus), costs_(std::move(costs)), nvlink_(std::size_t{gpus} * gpus) {
    HEADWAY_ASSERT(gpus >= 1 && gpus <= core::kMaxGpus, "a machine has 1 to 8 GPUs");
    list_.push_back({"PCIe to the GPUs"});
    list_.push_back({"PCIe to the host"});
    const auto join = [this](std::uint32_t from, std::uint32_t to) {
        std::uint32_t& bit = nvlink_[from * gpus_ + to];
        if (bit == 0) {
            bit = 1u << list_.size();
            list_.push_back({"NVLink " + std::to_string(from) + " → " + std::to_string(to)});
        }
    };
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        const std::uint32_t next = topology == Topology::ring ? (gpu + 1) % gpus : gpu + 1;
        const bool joined = topology == Topology::ring || (topology == Topology::pairs && gpu % 2 == 0);
        if (joined && next < gpus && next != gpu) {
            join(gpu, next);
            join(next, gpu);
        }
    }
}

std::uint32_t Links::between(std::uint32_t from, std::uint32_t to) const {
    const bool from_host = from >= gpus_, to_host = to >= gpus_;
    if (from_host || to_host) {
        return (to_host ? 0 : kToGpus) | (from_host ? 0 : kToHost);
    }
    const std::uint32_t direct = nvlink_[from * gpus_ + to];
    return from == to ? 0 : direct != 0 ? direct : kToGpus | kToHost;
}

TaskCost Links::cost_on(std::uint32_t links, std::uint64_t bytes) const {
    TaskCost cost;
    cost.links = links;
    const OpCost& rates = (cost.links & (kToGpus | kToHost)) != 0 ? costs_.pcie : costs_.nvlink;
    const double ns = rates.base_ns + rates.ns_per_byte * static_cast<double>(bytes);
    cost.ns = static_cast<std::uint64_t>(std::llround(std::min(ns, kLongestCostNs)));
    return cost;
}

}  // namespace headway::devices
