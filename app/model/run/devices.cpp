#include "app/model/run/devices.h"

#include <algorithm>

#include "app/model/run/queries.h"

namespace headway::model {

std::size_t stream_of_lane(const Run& run, std::size_t lane) {
    const auto& streams = run.info().lane_streams;
    return lane < streams.size() ? streams[lane] : lane;
}

bool shares_stream(const Run& run, std::size_t lane) {
    const std::size_t stream = stream_of_lane(run, lane);
    const auto& streams = run.info().lane_streams;
    return stream != lane || std::count(streams.begin(), streams.end(), static_cast<std::uint32_t>(stream)) > 1;
}

std::vector<std::int64_t> shared_by_stream(const Run& run) {
    const Run::Measured part = run.measured();
    const std::vector<Lane>& lanes = run.lanes();
    std::vector<std::int64_t> shared(std::min(run.info().lane_streams.size(), lanes.size()));
    struct Place {
        const Foldable<OpId>* ops;
        std::size_t at;
    };
    std::vector<Place> places;
    for (std::size_t stream = 0; stream < shared.size(); ++stream) {
        if (stream_of_lane(run, stream) != stream || !shares_stream(run, stream)) {
            continue;
        }
        places.clear();
        for (std::size_t lane = stream; lane < lanes.size(); ++lane) {
            if (stream_of_lane(run, lane) == stream) {
                places.push_back({&lanes[lane].ops, 0});
            }
        }
        // Visit all ops of the stream by begin time; each lane's ops are already ascending.
        std::uint64_t shared_ns = 0;  // wraps around: damaged recordings may contain any times
        std::int64_t busy_until_ns = INT64_MIN;
        while (true) {
            Place* next = nullptr;
            for (Place& place : places) {
                if (place.at < place.ops->size() &&
                    (next == nullptr ||
                     run.op((*place.ops)[place.at]).begin_ns < run.op((*next->ops)[next->at]).begin_ns)) {
                    next = &place;
                }
            }
            if (next == nullptr) {
                break;
            }
            const OpId id = (*next->ops)[next->at++];
            const Op& op = run.op(id);
            if (id >= part.first && id <= part.last) {
                if (busy_until_ns > op.begin_ns) {
                    shared_ns += static_cast<std::uint64_t>(std::max(std::min(op.end_ns, busy_until_ns), op.begin_ns)) -
                                 static_cast<std::uint64_t>(op.begin_ns);
                }
                busy_until_ns = std::max(busy_until_ns, op.end_ns);
            }
        }
        shared[stream] = static_cast<std::int64_t>(std::min<std::uint64_t>(shared_ns, INT64_MAX));
    }
    return shared;
}

std::int64_t shared_ns(const Run& run) {
    std::int64_t sum = 0;
    for (const std::int64_t ns : shared_by_stream(run)) {
        add_to(sum, ns);
    }
    return sum;
}

std::size_t device_of_lane(const Run& run, std::size_t lane) {
    const std::vector<RunDevice>& devices = run.devices();
    std::size_t device = 0;
    while (device + 1 < devices.size() && lane >= devices[device + 1].first_lane) {
        ++device;
    }
    return device;
}

std::size_t memory_device(const Run& run, const Op& op) {
    return op.out_on_cpu && run.devices().back().kind == "cpu" ? run.devices().size() - 1
                                                               : device_of_lane(run, op.lane);
}

std::string device_name(const Run& run, std::size_t device) {
    if (run.devices().size() < 2 || device >= run.devices().size()) {
        return "";
    }
    return run.devices()[device].kind == "cpu" ? "CPU" : gpu_count(run) < 2 ? "GPU" : "GPU " + std::to_string(device);
}

std::string device_phrase(const Run& run, std::size_t device) {
    const std::string name = device_name(run, device);
    return name == "CPU" || name == "GPU" ? "the " + name : name;
}

std::string stream_name(const Run& run, std::size_t lane) {
    if (lane >= run.lanes().size()) {
        return "stream " + std::to_string(lane);
    }
    const std::size_t device = device_of_lane(run, lane);
    const bool unique = gpu_count(run) < 2 || run.devices()[device].kind == "cpu";
    return run.lanes()[lane].name + (unique ? "" : " of " + device_name(run, device));
}

std::string all_devices(const Run& run) {
    const std::size_t count = run.devices().size();
    return count < 2 ? "" : count == 2 ? "both devices" : "all " + std::to_string(count) + " devices";
}

CopySum copies_on(const Run& run, const Link& link, std::int64_t before_ns) {
    const Run::Measured part = run.measured();
    const auto at = [&](std::int64_t ns) {
        return static_cast<std::size_t>(
            std::partition_point(link.ops.begin(), link.ops.end(), [&](OpId id) { return run.op(id).begin_ns < ns; }) -
            link.ops.begin());
    };
    std::size_t first = at(part.begin_ns), end = at(before_ns);
    // Copies of the warm-up may begin later, and those issued after the measured part earlier.
    while (first < end && link.ops[first] < part.first) {
        ++first;
    }
    while (first < end && link.ops[end - 1] > part.last) {
        --end;
    }
    if (first >= end) {
        return {};
    }
    return {end - first, link.bytes_through[end - 1] - (first > 0 ? link.bytes_through[first - 1] : 0)};
}

std::string device_word(const Run& run, std::size_t device) {
    const std::string& kind = run.devices()[device].kind;
    return kind == "cpu" || gpu_count(run) < 2 ? kind : kind + ":" + std::to_string(device);
}

std::size_t gpu_count(const Run& run) {
    const std::vector<RunDevice>& devices = run.devices();
    return static_cast<std::size_t>(
        std::count_if(devices.begin(), devices.end(), [](const RunDevice& device) { return device.kind != "cpu"; }));
}

double speed_of(const Run& run, std::size_t device) {
    const devices::CostModel* costs = costs_of(run, device);
    return costs != nullptr ? costs->speed : 1;
}

const devices::CostModel* costs_of(const Run& run, std::size_t device) {
    const RunInfo& info = run.info();
    const bool cpu = device < run.devices().size() && run.devices()[device].kind == "cpu";
    if (device < info.gpu_costs.size() && !cpu) {
        return &info.gpu_costs[device];
    }
    const std::size_t model = device > 0 && cpu ? 1 : 0;
    return model < info.device_costs.size() ? &info.device_costs[model] : nullptr;
}

const Curve& live_bytes(const Run& run, std::size_t device) {
    return run.devices().size() < 2 ? run.live_bytes() : run.devices()[device].live;
}
const Curve& pending_bytes(const Run& run, std::size_t device) {
    return run.devices().size() < 2 ? run.pending_bytes() : run.devices()[device].pending;
}
const Curve& reserved_bytes(const Run& run, std::size_t device) {
    return run.devices().size() < 2 ? run.reserved_bytes() : run.devices()[device].reserved;
}

int device_of(const Run& run, const Wait& wait) {
    if (run.devices().size() < 2) {
        return 0;
    }
    if (wait.target_op != 0 && wait.target_op <= run.op_count()) {
        return static_cast<int>(device_of_lane(run, run.op(wait.target_op).lane));
    }
    const bool for_one_op = wait.kind == trace::WaitKind::op_barrier || wait.kind == trace::WaitKind::queue_limit;
    if (for_one_op && wait.waits_through != 0 && wait.waits_through <= run.op_count()) {
        return static_cast<int>(device_of_lane(run, run.op(wait.waits_through).lane));
    }
    return wait.device < static_cast<int>(run.devices().size()) ? wait.device : -1;
}

}  // namespace headway::model
