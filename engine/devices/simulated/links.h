// The links of a simulated machine with several GPUs, and which of them a copy uses.
//
// Each direction is a link of its own. All copies between the host and a GPU go over the PCIe bus, which all GPUs
// share: one link to the GPUs and one to the host. Between two GPUs there is NVLink where the topology has it;
// otherwise a copy uses both directions of the bus at the same time. A link carries one copy at a time
// (virtual_lanes.h).
//
// Threads: any; a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/devices/simulated/cost_model.h"

namespace headway::devices {

enum class Topology : std::uint8_t {
    pcie,   // no NVLink
    pairs,  // NVLink between the GPUs 0 and 1, 2 and 3, and so on
    ring,   // NVLink between each GPU and the next, and between the last and the first
};
[[nodiscard]] const char* word_of(Topology topology);
[[nodiscard]] std::optional<Topology> topology_called(std::string_view word);

// What a copy takes on a link: base_ns, and the bytes at its rate.
struct LinkCosts {
    std::string name, source;
    OpCost pcie, nvlink;
};

// Bytes that a copy moves over links, from the numbers of its signature.
[[nodiscard]] std::uint64_t copied_bytes(std::uint64_t out_bytes, std::uint64_t moved_bytes);

class Links {
public:
    Links(Topology topology, std::uint32_t gpus, LinkCosts costs);

    struct Link {
        std::string name;  // "PCIe to the GPUs", "NVLink 0 → 1"
    };
    [[nodiscard]] const std::vector<Link>& list() const { return list_; }  // at most VirtualLanes::kLinks
    [[nodiscard]] Topology topology() const { return topology_; }
    [[nodiscard]] std::uint32_t gpus() const { return gpus_; }
    [[nodiscard]] const LinkCosts& costs() const { return costs_; }

    // The links of a copy between two devices, one bit each. Numbers from gpus() on are the host.
    [[nodiscard]] std::uint32_t between(std::uint32_t from, std::uint32_t to) const;
    // Whether these are the links of a copy from one GPU to another.
    [[nodiscard]] static bool join_gpus(std::uint32_t links) {
        return (links & ~(kToGpus | kToHost)) != 0 || links == (kToGpus | kToHost);
    }
    // What a copy takes that uses these links.
    [[nodiscard]] TaskCost cost_on(std::uint32_t links, std::uint64_t bytes) const;

private:
    static constexpr std::uint32_t kToGpus = 1, kToHost = 2;  // the bits of the bus

    Topology topology_;
    std::uint32_t gpus_;
    LinkCosts costs_;
    std::vector<Link> list_;
    std::vector<std::uint32_t> nvlink_;  // [from * gpus + to]: a bit, or 0
};

}  // namespace headway::devices
