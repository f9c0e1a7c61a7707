// Durations on the simulated device. app/model/costs/cost_model_file.h reads them from files.
//
// An op takes base_ns plus the longer of its arithmetic and its memory traffic, rounded to whole nanoseconds. A missing
// rate means no limit. With "lanes_share" the rates are those of the whole device, and ops that run at the same time
// contend for them (virtual_lanes.h): an op's share is the part of its time beyond base_ns. Without it each lane has
// these rates for itself, like the cores of a CPU. Copies from the host and copies to the host are separate resources.
//
// A GPU of another speed executes each op in 1/speed of that time. The frontend's costs stay, and so do copies over
// links (links.h).
//
// Threads: any; a model is a value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/devices/op.h"
#include "engine/devices/simulated/virtual_lanes.h"

namespace headway::devices {

inline constexpr double kLongestCostNs = 1e15;  // 11 days
inline constexpr double kLeastSpeed = 0.01, kMostSpeed = 100;

struct OpCost {
    double base_ns = 0;
    double ns_per_flop = 0;
    double ns_per_byte = 0;
    double flops_per_s = 0, bytes_per_s = 0;  // from the file; 0: no limit
};

struct CostModel {
    static constexpr std::size_t kFamilies = static_cast<std::size_t>(Family::other) + 1;

    std::string name;
    std::string source;
    std::uint64_t t1_ns = 0;   // issue: frontend time per op
    std::uint64_t t3_ns = 0;   // return: frontend time per wait after its op has finished
    bool lanes_share = false;  // the lanes contend for the rates
    double speed = 1;          // of the simulated GPU relative to this model; not stored in the model's file
    std::array<OpCost, kFamilies> family{};
    std::array<std::optional<OpCost>, kOpKinds> op{};

    // t2: the op's duration on a lane. Signature::simulated_ns, if set, takes precedence over the model's, at speed 1.
    [[nodiscard]] std::uint64_t execute_ns(const Signature& signature) const;
    // The same with the resource that it contends for: 0 for ops, 1 for copies to the device, 2 for copies to the host.
    [[nodiscard]] TaskCost cost_of(const Signature& signature) const;
};

// "1, 0.25": as the option --gpu-speeds reads it.
std::string text_of_speeds(const std::vector<double>& speeds);

// Every op takes t2, as the chapter's formulas assume.
CostModel constant_costs(std::uint64_t t1_ns, std::uint64_t t2_ns, std::uint64_t t3_ns);

}  // namespace headway::devices
