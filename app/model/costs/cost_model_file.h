// Files of costs for simulated devices (assets/cost_models/): constants in JSON, with their units in their names and
// their source in words.
//
//   {"name": "GPU", "source": "round numbers, not measured", "t1_ns": 5000, "t3_ns": 10000, "lanes_share": true,
//    "families": {"matmul": {"base_ns": 3000, "flops_per_s": 15e12, "bytes_per_s": 1.5e12}, … all of them},
//    "ops": {"copy_to_host": {"base_ns": 10000, "bytes_per_s": 25e9}, … where an op differs from its family}}
//
// And the links of a machine with several GPUs, each direction of a link:
//
//   {"name": "Links", "source": "round numbers, not measured",
//    "pcie": {"base_ns": 10000, "bytes_per_s": 12.5e9}, "nvlink": {"base_ns": 5000, "bytes_per_s": 100e9}}
//
// Errors are one sentence that names the file and the line or the field.
//
// Threads: any.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/devices/host_costs.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/devices/simulated/links.h"

namespace headway::model {

core::Result<devices::CostModel> load_cost_model(const std::string& path);
core::Result<devices::CostModel> parse_cost_model(std::string_view text, const std::string& file);
// parse_cost_model() reads it back unchanged.
nlohmann::json json_of(const devices::CostModel& model);

// The frontend's costs, from a file like assets/cost_models/host.json.
core::Result<devices::HostCosts> load_host_costs(const std::string& path);
core::Result<devices::HostCosts> parse_host_costs(std::string_view text, const std::string& file);
nlohmann::json json_of(const devices::HostCosts& costs);

// The links between GPUs, from a file like assets/cost_models/links.json.
core::Result<devices::LinkCosts> load_link_costs(const std::string& path);
core::Result<devices::LinkCosts> parse_link_costs(std::string_view text, const std::string& file);
nlohmann::json json_of(const devices::LinkCosts& costs);

}  // namespace headway::model
