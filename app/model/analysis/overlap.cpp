#include "app/model/analysis/overlap.h"

#include <algorithm>
#include <array>
#include <vector>

#include "app/model/run/devices.h"
#include "app/model/run/queries.h"

namespace headway::model {
namespace {

bool copies_between_memories(const Run& run, const Op& op) {
    const devices::OpKind kind = run.signature(op.signature).kind;
    return kind == devices::OpKind::copy_to_device || kind == devices::OpKind::copy_to_host;
}

// An execution begins (+1) or ends (-1).
struct Edge {
    std::int64_t ns;
    std::int32_t change;
    std::uint16_t stream;
    std::uint8_t device;
    bool copy;
};

std::vector<Edge> edges_of(const Run& run, const Run::Measured& part, Overlap& overlap) {
    std::vector<Edge> edges;
    for (std::size_t lane = 0; lane < run.lanes().size(); ++lane) {
        const auto stream = static_cast<std::uint16_t>(stream_of_lane(run, lane));
        const auto device = static_cast<std::uint8_t>(device_of_lane(run, lane));
        for (const OpId id : run.lanes()[lane].ops) {
            const Op& op = run.op(id);
            const std::int64_t begin_ns = std::max(op.begin_ns, part.begin_ns);
            const std::int64_t end_ns = std::min(op.end_ns, part.end_ns);
            if (begin_ns < end_ns) {
                const bool copy = copies_between_memories(run, op), to_gpu = devices::Links::join_gpus(op.links);
                overlap.gpu_copies |= copy && to_gpu;
                overlap.host_copies |= copy && !to_gpu;
                edges.push_back({begin_ns, 1, stream, device, copy});
                edges.push_back({end_ns, -1, stream, device, copy});
            }
        }
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.ns < b.ns; });
    return edges;
}

}  // namespace

Overlap overlap_of(const Run& run) {
    Overlap overlap;
    std::array<std::int32_t, 256> running{}, copying{};  // by stream
    std::array<std::int32_t, 256> of_device{};
    std::int32_t streams = 0, devices = 0, copies = 0, computing_streams = 0;
    // Counts how many counters are above zero.
    const auto change = [](std::int32_t& counter, std::int32_t by, std::int32_t& above) {
        const bool before = counter > 0;
        counter += by;
        above += static_cast<std::int32_t>(counter > 0) - static_cast<std::int32_t>(before);
    };
    std::array<std::int32_t, 256> computing{};
    std::int64_t since_ns = 0;
    for (const Edge& edge : edges_of(run, run.measured(), overlap)) {
        const std::int64_t ns = edge.ns - since_ns;
        overlap.any_ns += streams > 0 ? ns : 0;
        overlap.several_ns += streams > 1 ? ns : 0;
        overlap.devices_ns += devices > 1 ? ns : 0;
        overlap.copies_ns += copies > 0 ? ns : 0;
        overlap.beside_ns += copies > 0 && computing_streams > 0 ? ns : 0;
        since_ns = edge.ns;
        change(running[edge.stream], edge.change, streams);
        change(of_device[edge.device], edge.change, devices);
        if (edge.copy) {
            change(copying[edge.stream], edge.change, copies);
        } else {
            change(computing[edge.stream], edge.change, computing_streams);
        }
    }
    return overlap;
}

std::uint64_t unfinished_at_begin(const Run& run) {
    const auto part = run.measured();
    const OpId before = std::min<OpId>(part.first - 1, static_cast<OpId>(run.op_count()));
    if (before == 0 || finished_ns(run, before) <= part.begin_ns) {
        return 0;
    }
    std::uint64_t count = 0;
    for (OpId id = 1; id <= before; ++id) {
        count += !run.is_folded(id) && run.op(id).end_ns > part.begin_ns ? 1 : 0;
    }
    return count;
}

Gap longest_gap(const Run& run) {
    const Run::Measured part = run.measured();
    Gap longest;
    for (std::size_t lane = 0; lane < run.lanes().size(); ++lane) {
        std::int64_t free_ns = part.begin_ns;
        bool used = false;
        const auto look = [&](std::int64_t until_ns) {
            if (until_ns - free_ns > longest.end_ns - longest.begin_ns) {
                longest = {lane, free_ns, until_ns};
            }
        };
        const Gap before = longest;
        for (const OpId id : run.lanes()[lane].ops) {
            const Op& op = run.op(id);
            if (ended_before(op, part.begin_ns)) {
                continue;
            }
            if (op.begin_ns >= part.end_ns) {
                break;
            }
            used = true;
            look(op.begin_ns);
            free_ns = std::max(free_ns, op.end_ns);
        }
        look(part.end_ns);
        if (!used) {
            longest = before;
        }
    }
    return longest;
}

}  // namespace headway::model
