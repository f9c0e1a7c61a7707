// A run's devices, and streams with several lanes: in another program's trace the ops of one stream may have run at the
// same time.
#include <algorithm>

#include "app/model/run/run.h"

namespace headway::model {

std::size_t Run::stream_of_lane(std::size_t lane) const {
    return lane < info_.lane_streams.size() ? info_.lane_streams[lane] : lane;
}

bool Run::shares_stream(std::size_t lane) const {
    const std::size_t stream = stream_of_lane(lane);
    const auto& streams = info_.lane_streams;
    return stream != lane || std::count(streams.begin(), streams.end(), static_cast<std::uint32_t>(stream)) > 1;
}

std::int64_t Run::shared_ns() const {
    const Measured part = measured();
    std::uint64_t shared_ns = 0;  // wraps around: damaged recordings may contain any times
    struct Place {
        const Foldable<OpId>* ops;
        std::size_t at;
    };
    std::vector<Place> places;
    for (std::size_t stream = 0; stream < std::min(info_.lane_streams.size(), lanes_.size()); ++stream) {
        if (stream_of_lane(stream) != stream || !shares_stream(stream)) {
            continue;
        }
        places.clear();
        for (std::size_t lane = stream; lane < lanes_.size(); ++lane) {
            if (stream_of_lane(lane) == stream) {
                places.push_back({&lanes_[lane].ops, 0});
            }
        }
        // Visit all ops of the stream by begin time; each lane's ops are already ascending.
        std::int64_t busy_until_ns = INT64_MIN;
        while (true) {
            Place* next = nullptr;
            for (Place& place : places) {
                if (place.at < place.ops->size() &&
                    (next == nullptr ||
                     ops_[(*place.ops)[place.at] - 1].begin_ns < ops_[(*next->ops)[next->at] - 1].begin_ns)) {
                    next = &place;
                }
            }
            if (next == nullptr) {
                break;
            }
            const OpId id = (*next->ops)[next->at++];
            const Op& op = ops_[id - 1];
            if (id >= part.first && id <= part.last) {
                if (busy_until_ns > op.begin_ns) {
                    shared_ns += static_cast<std::uint64_t>(std::max(std::min(op.end_ns, busy_until_ns), op.begin_ns)) -
                                 static_cast<std::uint64_t>(op.begin_ns);
                }
                busy_until_ns = std::max(busy_until_ns, op.end_ns);
            }
        }
    }
    return static_cast<std::int64_t>(std::min<std::uint64_t>(shared_ns, INT64_MAX));
}

std::size_t Run::device_of_lane(std::size_t lane) const {
    std::size_t device = 0;
    while (device + 1 < devices_.size() && lane >= devices_[device + 1].first_lane) {
        ++device;
    }
    return device;
}

std::string Run::device_name(std::size_t device) const {
    if (devices_.size() < 2 || device >= devices_.size()) {
        return "";
    }
    return devices_[device].kind == "cpu" ? "CPU" : gpus() < 2 ? "GPU" : "GPU " + std::to_string(device);
}

std::string Run::device_phrase(std::size_t device) const {
    const std::string name = device_name(device);
    return name == "CPU" || name == "GPU" ? "the " + name : name;
}

std::string Run::stream_name(std::size_t lane) const {
    if (lane >= lanes_.size()) {
        return "stream " + std::to_string(lane);
    }
    const std::size_t device = device_of_lane(lane);
    const bool unique = gpus() < 2 || devices_[device].kind == "cpu";
    return lanes_[lane].name + (unique ? "" : " of " + device_name(device));
}

std::string Run::all_devices() const {
    return devices_.size() < 2    ? ""
           : devices_.size() == 2 ? "both devices"
                                  : "all " + std::to_string(devices_.size()) + " devices";
}

std::string Run::device_word(std::size_t device) const {
    const std::string& kind = devices_[device].kind;
    return kind == "cpu" || gpus() < 2 ? kind : kind + ":" + std::to_string(device);
}

std::size_t Run::gpus() const {
    return static_cast<std::size_t>(
        std::count_if(devices_.begin(), devices_.end(), [](const RunDevice& device) { return device.kind != "cpu"; }));
}

double Run::speed_of(std::size_t device) const {
    const devices::CostModel* costs = costs_of(device);
    return costs != nullptr ? costs->speed : 1;
}

const devices::CostModel* Run::costs_of(std::size_t device) const {
    if (device < info_.gpu_costs.size() && devices_[device].kind != "cpu") {
        return &info_.gpu_costs[device];
    }
    const std::size_t model = device > 0 && devices_[device].kind == "cpu" ? 1 : 0;
    return model < info_.device_costs.size() ? &info_.device_costs[model] : nullptr;
}

const Curve& Run::live_bytes(std::size_t device) const {
    return devices_.size() < 2 ? live_ : devices_[device].live;
}
const Curve& Run::pending_bytes(std::size_t device) const {
    return devices_.size() < 2 ? pending_ : devices_[device].pending;
}
const Curve& Run::reserved_bytes(std::size_t device) const {
    return devices_.size() < 2 ? reserved_ : devices_[device].reserved;
}

int Run::device_of(const Wait& wait) const {
    if (devices_.size() < 2) {
        return 0;
    }
    if (wait.target_op != 0 && wait.target_op <= ops_.size()) {
        return static_cast<int>(device_of_lane(ops_[wait.target_op - 1].lane));
    }
    const bool for_one_op = wait.kind == trace::WaitKind::op_barrier || wait.kind == trace::WaitKind::queue_limit;
    if (for_one_op && wait.waits_through != 0 && wait.waits_through <= ops_.size()) {
        return static_cast<int>(device_of_lane(ops_[wait.waits_through - 1].lane));
    }
    return wait.device < static_cast<int>(devices_.size()) ? wait.device : -1;
}

}  // namespace headway::model
