#include "engine/devices/simulated/cost_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headway::devices {

TaskCost CostModel::cost_of(const Signature& signature) const {
    TaskCost cost;
    cost.resource = signature.kind == OpKind::copy_to_device ? 1 : signature.kind == OpKind::copy_to_host ? 2 : 0;
    double ns = signature.simulated_ns;
    if (!(ns > 0)) {
        const auto& own = op[static_cast<std::size_t>(signature.kind)];
        const OpCost& rates = own ? *own : family[static_cast<std::size_t>(signature.family)];
        const double throughput_ns = std::max(rates.ns_per_flop * static_cast<double>(signature.flops),
                                              rates.ns_per_byte * static_cast<double>(signature.moved_bytes));
        ns = rates.base_ns + throughput_ns;
        cost.share = lanes_share && ns > 0 ? throughput_ns / ns : 0;
    }
    cost.ns = static_cast<std::uint64_t>(std::llround(std::min(ns / speed, kLongestCostNs)));
    return cost;
}

std::uint64_t CostModel::execute_ns(const Signature& signature) const {
    return cost_of(signature).ns;
}

std::string text_of_speeds(const std::vector<double>& speeds) {
    std::string all;
    for (const double speed : speeds) {
        char text[32];
        std::snprintf(text, sizeof text, "%.15g", speed);
        all += (all.empty() ? "" : ", ") + std::string(text);
    }
    return all;
}

CostModel constant_costs(std::uint64_t t1_ns, std::uint64_t t2_ns, std::uint64_t t3_ns) {
    CostModel model;
    model.name = "constant costs";
    model.source = "chosen";
    model.t1_ns = t1_ns;
    model.t3_ns = t3_ns;
    model.family.fill({static_cast<double>(t2_ns), 0, 0, 0, 0});
    return model;
}

}  // namespace headway::devices
