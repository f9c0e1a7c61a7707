// How long things take on the simulated device: constants of a small JSON file (assets/cost_models/), each with its
// unit in its name, and the source of them all in words.
//
//   {"name": "GPU", "source": "round numbers, not measured", "t1_ns": 5000, "t3_ns": 10000, "lanes_share": true,
//    "families": {"matmul": {"base_ns": 3000, "flops_per_s": 15e12, "bytes_per_s": 1.5e12}, … all of them},
//    "ops": {"copy_to_host": {"base_ns": 10000, "bytes_per_s": 25e9}, … where an op differs from its family}}
//
// An op takes base_ns plus the longer of its arithmetic and its memory traffic, rounded to whole nanoseconds. A rate
// that is left out is no limit. With "lanes_share" the rates are the whole device's, and ops that run at the same time
// contend for them (virtual_lanes.h): an op's share is the part of its time beyond base_ns. Without it each lane has
// these rates for itself, as the cores of a CPU do. Copies from and to the host contend in each direction by
// themselves.
//
// Threads: any; a model is a value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/devices/host_costs.h"
#include "engine/devices/op.h"
#include "engine/devices/simulated/virtual_lanes.h"

namespace headway::devices {

struct OpCost {
    double base_ns = 0;
    double ns_per_flop = 0;
    double ns_per_byte = 0;
    double flops_per_s = 0, bytes_per_s = 0;  // as the file gives them; 0: no limit
};

struct CostModel {
    static constexpr std::size_t kFamilies = static_cast<std::size_t>(Family::other) + 1;

    std::string name;
    std::string source;
    std::uint64_t t1_ns = 0;   // issue: what one op costs the frontend
    std::uint64_t t3_ns = 0;   // return: what one wait costs the frontend once its op has finished
    bool lanes_share = false;  // the lanes contend for the rates
    std::array<OpCost, kFamilies> family{};
    std::array<std::optional<OpCost>, kOpKinds> op{};

    // t2: how long this op takes on a lane. Signature::simulated_ns, where it is set, goes before the model.
    [[nodiscard]] std::uint64_t execute_ns(const Signature& signature) const;
    // The same with what it contends for: resource 0, 1 for copies to the device, 2 for copies to the host.
    [[nodiscard]] TaskCost cost_of(const Signature& signature) const;
};

// Fails in one sentence that names the file and the line or the field.
core::Result<CostModel> load_cost_model(const std::string& path);
core::Result<CostModel> parse_cost_model(std::string_view text, const std::string& file);
// The model as such a file: parse_cost_model() gives the same model again.
std::string to_json(const CostModel& model);

// The frontend's costs, of a file as assets/cost_models/host.json. Fails as above.
core::Result<HostCosts> load_host_costs(const std::string& path);
core::Result<HostCosts> parse_host_costs(std::string_view text, const std::string& file);
std::string to_json(const HostCosts& costs);

// Every op takes t2: what the formulas of the chapter assume.
CostModel constant_costs(std::uint64_t t1_ns, std::uint64_t t2_ns, std::uint64_t t3_ns);

}  // namespace headway::devices
