#include "app/model/description/run_info.h"

#include <algorithm>

#include "app/model/costs/cost_model_file.h"
#include "engine/core/ids.h"

namespace headway::model {

void read_torch(json::Value torch, RunInfo& info) {
    info.torch = torch["torch"].text();
    info.cpu_ops.reset();
    info.cpu_ops_ns.reset();
    if (torch["cpu_ops"].integer()) {
        info.cpu_ops = torch["cpu_ops"].count();
        info.cpu_ops_ns = torch["cpu_ops_ns"].count();
    }
}

namespace {

// Those that make no sense count as 1.
void read_speeds(json::Value speeds, RunInfo& info) {
    if (speeds.elements().empty() || info.device_costs.empty()) {
        return;
    }
    info.gpu_costs.assign(info.links->gpus(), info.device_costs[0]);
    std::size_t gpu = 0;
    for (const json::Value speed : speeds.elements()) {
        if (gpu < info.gpu_costs.size()) {
            const double said = speed.number().value_or(1);
            info.gpu_costs[gpu++].speed = said >= devices::kLeastSpeed && said <= devices::kMostSpeed ? said : 1;
        }
    }
}

}  // namespace

void read_run_info(json::Value run, RunInfo& info) {
    info.program = run["program"].text();
    info.title = run["title"].text();
    info.frontend = run["frontend"].text();
    info.tab = run["tab"].text();
    read_torch(run, info);
    info.device_kind = run["device_kind"].text();
    info.device_name = run["device_name"].text();
    info.simulated = run["simulated"].is_true();
    info.foreign = run["foreign"].is_true();
    info.live_sampled = run["live_sampled"].is_true();
    info.left_out = run["left_out"].count();
    info.repaired = run["repaired"].count();
    info.file_cut_off = run["file_cut_off"].is_true();
    info.lane_streams.clear();
    for (const json::Value lane : run["lane_streams"].elements()) {
        // A lane belongs to its own stream or to that of an earlier lane; any other value is damaged.
        const auto own = static_cast<std::uint32_t>(info.lane_streams.size());
        const auto stream = lane.integer().value_or(own);
        if (own == core::kMaxTraceLanes) {
            break;
        }
        const bool good = stream >= 0 && stream < own && info.lane_streams[static_cast<std::size_t>(stream)] == stream;
        info.lane_streams.push_back(good ? static_cast<std::uint32_t>(stream) : own);
    }
    info.timing = run["timing"].text();
    info.timing_note = run["timing_note"].text();
    info.timing_uncertainty_ns = run["timing_uncertainty_ns"].count();
    info.launch = run["launch"].text();
    info.copies = run["copies"].text();
    info.products = run["products"].text();
    info.cpu = run["cpu"].text();
    info.os = run["os"].text();
    info.cores = static_cast<int>(std::min<std::uint64_t>(run["cores"].count(), 1u << 20));
    info.barrier = run["barrier"].text();
    info.free_policy = run["free_policy"].text();
    info.issue = run["issue"].text();
    info.profile = run["profile"].text();
    info.chosen.clear();
    for (const json::Value name : run["chosen"].elements()) {
        info.chosen.push_back(name.written());
    }
    const json::Value costs = run["cost_models"];
    info.cost_models = costs.is_object() ? costs.written() : std::string();
    info.device_costs.clear();
    for (const char* device : {"device", "beside"}) {
        auto model = parse_cost_model(costs[device].written(), "of the recording");
        if (!model) {
            break;
        }
        info.device_costs.push_back(std::move(*model));
    }
    info.links.reset();
    info.gpu_costs.clear();
    const auto topology = devices::topology_called(run["links"].text());
    if (const std::uint64_t gpus = run["gpus"].count(); topology && gpus > 1 && gpus <= core::kMaxGpus) {
        if (auto links = parse_link_costs(costs["links"].written(), "of the recording")) {
            info.links.emplace(*topology, static_cast<std::uint32_t>(gpus), std::move(*links));
            read_speeds(run["gpu_speeds"], info);
        }
    }
    info.workers = static_cast<std::uint32_t>(run["workers"].count());
    info.streams = static_cast<std::uint32_t>(run["streams"].count());
    info.queue_limit = static_cast<std::uint32_t>(run["queue_limit"].count());
    info.budget = run["budget"].count();
    info.budget_in_effect.reset();
    info.budget_is_default.reset();
    if (const json::Value by_default = run["budget_is_default"]; by_default.is_bool()) {
        info.budget_in_effect = run["budget_in_effect"].count();
        info.budget_is_default = by_default.is_true();
    }
    info.seed = run["seed"].count();
    info.date = run["date"].text();
    info.version = run["version"].text();
    info.parameters.clear();
    for (const auto& [name, value] : run["parameters"].members()) {
        info.parameters[std::string(name)] = value.written();
    }
}

}  // namespace headway::model
