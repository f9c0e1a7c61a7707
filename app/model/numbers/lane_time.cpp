#include "app/model/numbers/lane_time.h"

#include <algorithm>
#include <set>

#include "app/model/analysis/time_range_summary.h"
#include "app/model/run/devices.h"
#include "app/model/run/queries.h"

namespace headway::model {
namespace {

// What lanes of these executed of the warm-up after it.
std::int64_t warmup_ns(const Run& run, const Run::Measured& part, const std::vector<KnownLane>& known,
                       const Holds& pauses, const std::vector<bool>& of) {
    const OpId before = std::min<OpId>(part.first - 1, static_cast<OpId>(run.op_count()));
    std::int64_t ns = 0;
    if (before == 0 || finished_ns(run, before) <= part.begin_ns) {
        return ns;
    }
    for (std::size_t lane = 0; lane < of.size(); ++lane) {
        const auto& ops = run.lanes()[lane].ops;  // their ids ascend
        std::size_t i = 0;
        if (run.folded_parts().empty()) {
            const auto first = std::partition_point(ops.begin(), ops.end(),
                                                    [&](OpId id) { return ended_before(run.op(id), part.begin_ns); });
            i = static_cast<std::size_t>(first - ops.begin());
        }
        for (; of[lane] && i < ops.size() && ops[i] <= before; i = ops.after(i)) {
            if (!ops.is_folded(i)) {
                const Op& op = run.op(ops[i]);
                add_to(ns, unpaused_ns(pauses, std::max(op.begin_ns, part.begin_ns),
                                       std::min({op.end_ns, known[lane].recorded_until_ns, part.end_ns})));
            }
        }
    }
    return ns;
}

}  // namespace

std::vector<KnownLane> known_lanes(const Run& run, const Run::Measured& part) {
    std::vector<KnownLane> known(run.lanes().size());
    for (std::size_t lane = 0; lane < known.size(); ++lane) {
        const Running* running = run.running(lane);
        known[lane] = {running != nullptr && clipped(running->begin_ns, part.end_ns, part) > 0,
                       run.recorded_until_ns(lane)};
    }
    return known;
}

LaneTime lane_time(const Run& run, const Run::Measured& part, std::int64_t total_ns, std::int64_t busy_ns,
                   const std::vector<KnownLane>& known, std::optional<std::size_t> device) {
    const Holds pauses = pauses_until_now(run);
    std::vector<bool> used(known.size());
    std::set<std::size_t> streams;
    LaneTime time;
    for (std::size_t lane = 0; lane < known.size(); ++lane) {
        const std::int64_t until_ns = std::clamp(known[lane].recorded_until_ns, part.begin_ns, part.end_ns);
        used[lane] = (!device || device_of_lane(run, lane) == *device) &&
                     (known[lane].runs || lane_sum(run, lane, part.begin_ns, until_ns).count > 0);
        if (used[lane] && streams.insert(stream_of_lane(run, lane)).second) {
            add_to(time.open_ns, unpaused_ns(pauses, until_ns, part.end_ns));
        }
    }
    const auto lanes = static_cast<std::int64_t>(streams.size());
    time.all_ns = total_ns > INT64_MAX / std::max<std::int64_t>(lanes, 1) ? INT64_MAX : lanes * total_ns;
    time.idle_ns = time.all_ns;
    for (const std::int64_t ns : {time.open_ns, busy_ns, warmup_ns(run, part, known, pauses, used)}) {
        add_to(time.idle_ns, -ns);
    }
    time.idle_ns = std::max<std::int64_t>(time.idle_ns, 0);
    return time;
}

}  // namespace headway::model
