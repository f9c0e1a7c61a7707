#include "app/exchange/foreign/run_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace headway::exchange {

// The names of lanes [first, end).
std::vector<std::string> lane_names(const RunBuilder& builder, std::size_t first, std::size_t end) {
    end = std::min(end, builder.lane_names.size());
    first = std::min(first, end);
    return {builder.lane_names.begin() + static_cast<std::ptrdiff_t>(first),
            builder.lane_names.begin() + static_cast<std::ptrdiff_t>(end)};
}

namespace {

template <class Value>
nlohmann::json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace

std::string run_json(const RunBuilder& builder) {
    const model::RunInfo& info = builder.info;
    const std::size_t own_lanes =
        builder.more_devices.empty() ? builder.lane_names.size() : builder.more_devices.front().first_lane;
    std::string text = nlohmann::json{{"program", info.program},
                                      {"title", info.title},
                                      {"frontend", info.frontend},
                                      {"tab", info.tab},
                                      {"torch", info.torch},
                                      {"cpu_ops", or_null(info.cpu_ops)},
                                      {"cpu_ops_ns", or_null(info.cpu_ops_ns)},
                                      {"device_kind", info.device_kind},
                                      {"device_name", info.device_name},
                                      {"simulated", info.simulated},
                                      {"cpu", info.cpu},
                                      {"os", info.os},
                                      {"cores", info.cores},
                                      {"barrier", info.barrier},
                                      {"free_policy", info.free_policy},
                                      {"workers", info.workers},
                                      {"streams", info.streams},
                                      {"queue_limit", info.queue_limit},
                                      {"budget", info.budget},
                                      {"seed", info.seed},
                                      {"budget_in_effect", or_null(info.budget_in_effect)},
                                      {"budget_is_default", or_null(info.budget_is_default)},
                                      {"date", info.date},
                                      {"version", info.version},
                                      {"parameters", info.parameters},
                                      {"foreign", info.foreign},
                                      {"live_sampled", info.live_sampled},
                                      {"left_out", info.left_out},
                                      {"repaired", info.repaired},
                                      {"file_cut_off", info.file_cut_off},
                                      {"lane_streams", info.lane_streams},
                                      {"timing", info.timing},
                                      {"timing_note", info.timing_note},
                                      {"timing_uncertainty_ns", info.timing_uncertainty_ns},
                                      {"issue", info.issue},
                                      {"profile", info.profile},
                                      {"chosen", info.chosen},
                                      {"launch", info.launch},
                                      {"copies", info.copies},
                                      {"products", info.products},
                                      {"lanes", lane_names(builder, 0, own_lanes)}}
                           .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (info.links) {
        text.insert(1, "\"gpus\":" + std::to_string(info.links->gpus()) + ",\"links\":\"" +
                           devices::word_of(info.links->topology()) + "\",");
        if (!info.gpu_costs.empty()) {
            text.insert(1, "\"gpu_speeds\":[" + model::speed_words(info) + "],");
        }
    }
    if (!info.cost_models.empty()) {  // JSON already
        text.insert(1, "\"cost_models\":" + info.cost_models + ",");
    }
    return text;
}

}  // namespace headway::exchange
