#include "app/model/explanation/facts.h"

#include <algorithm>
#include <set>

#include "app/model/analysis/overlap.h"
#include "app/model/analysis/time_range_summary.h"
#include "app/model/analysis/wait_details.h"
#include "app/model/run/devices.h"
#include "app/model/run/queries.h"

namespace headway::model {

namespace {

std::size_t busiest_lane_of(const Run& run, const Run::Measured& part, bool unfinished_before) {
    std::vector<std::int64_t> busy_ns(run.lanes().size());
    if (unfinished_before) {  // they are not among the measured ops
        for (OpId id = part.first; id <= part.last; ++id) {
            // In a damaged recording, an op that has not ended may name a lane that does not exist.
            if (const Op& op = run.op(id); !run.is_folded(id) && op.end_ns != kPending) {
                busy_ns[stream_of_lane(run, op.lane)] += clipped(op.begin_ns, op.end_ns, part);
            }
        }
    } else {
        for (std::size_t lane = 0; lane < run.lanes().size(); ++lane) {
            busy_ns[stream_of_lane(run, lane)] += lane_sum(run, lane, part.begin_ns, part.end_ns).ns;
        }
    }
    const std::vector<std::int64_t> shared = shared_by_stream(run);
    for (std::size_t stream = 0; stream < std::min(shared.size(), busy_ns.size()); ++stream) {
        add_to(busy_ns[stream], -shared[stream]);
    }
    return static_cast<std::size_t>(std::max_element(busy_ns.begin(), busy_ns.end()) - busy_ns.begin());
}

}  // namespace

Facts::Facts(const Run& of, const Numbers& its)
    : run(of),
      numbers(its),
      part(of.measured()),
      complete(of.end().complete()),
      folded(!of.folded_parts().empty()),
      long_run(of.op_count() > kReplayed),
      unfinished_before(unfinished_at_begin(of)) {
    const auto kinds = run.wait_kinds().between(part.first_wait, part.waits_end, [this](std::size_t i) {
        const Wait& wait = run.waits()[i];
        return std::pair{static_cast<std::uint32_t>(wait.kind), wait.waited_ns()};
    });
    for (const auto& sum : kinds) {
        wait_sums[static_cast<trace::WaitKind>(sum.kind)] = {sum.count, static_cast<std::int64_t>(sum.busy_ns)};
    }
    const auto keep_longest = [this](int& longest, std::size_t i) {
        if (longest < 0 || run.waits()[i].waited_ns() > run.waits()[static_cast<std::size_t>(longest)].waited_ns()) {
            longest = static_cast<int>(i);
        }
    };
    for (std::size_t i = part.first_wait; i < part.waits_end; i = run.waits().after(i)) {
        const Wait& wait = run.waits()[i];
        if (wait.kind == trace::WaitKind::paused || run.is_folded_wait(i)) {
            continue;
        }
        keep_longest(longest_wait, i);
        if (trace::is_blocker(wait.kind)) {
            keep_longest(longest_blocker, i);
        }
    }
    std::set<std::size_t> devices;
    for (std::size_t lane = 0; lane < run.lanes().size(); ++lane) {
        if (lane_sum(run, lane, part.begin_ns, part.end_ns).count > 0) {
            ++lanes_used;
            devices.insert(device_of_lane(run, lane));
        }
    }
    devices_used = devices.size();
    busiest_lane = busiest_lane_of(run, part, unfinished_before > 0);
    if (numbers.capabilities.tensors && !numbers.cut_off && !folded && !long_run && unpaused()) {
        path = critical_path(run);
        if (path->total_ns() != numbers.total_ns) {  // the learner held lanes
            path.reset();
        }
    }
}

WaitSum Facts::waits() const {
    WaitSum all;
    for (const auto& [kind, sum] : wait_sums) {
        if (kind != trace::WaitKind::paused) {
            all.count += sum.count;
            all.ns += sum.ns;
        }
    }
    return all;
}

WaitSum Facts::waits(trace::WaitKind kind) const {
    const auto found = wait_sums.find(kind);
    return found == wait_sums.end() ? WaitSum{} : found->second;
}

const char* Facts::subject() const {
    return run.clock() == trace::ClockKind::virtual_ns ? "In virtual time this run" : "This run";
}

std::optional<std::int64_t> Facts::peak_ns(const Curve& curve) const {
    const std::int64_t most = curve.extremes(part.begin_ns, part.end_ns + 1).most;
    if (part.end_ns <= part.begin_ns) {
        return std::nullopt;
    }
    std::int64_t before_ns = part.begin_ns - 1, at_ns = part.end_ns;  // reached after the first, by the second
    while (at_ns - before_ns > 1) {
        const std::int64_t middle_ns = before_ns + (at_ns - before_ns) / 2;
        (curve.extremes(part.begin_ns, middle_ns + 1).most >= most ? at_ns : before_ns) = middle_ns;
    }
    return curve.exact_at(at_ns) ? std::optional(at_ns) : std::nullopt;
}

std::vector<Place> Facts::places_of(std::initializer_list<trace::WaitKind> kinds) const {
    std::vector<Place> places;
    for (std::size_t i = part.first_wait; i < part.waits_end; i = run.waits().after(i)) {
        const Wait& wait = run.waits()[i];
        if (std::find(kinds.begin(), kinds.end(), wait.kind) == kinds.end()) {
            continue;
        }
        if (places.size() == kMostPlaces || run.is_folded_wait(i)) {
            return {whole(Place::Row::frontend)};
        }
        Place place = whole(Place::Row::frontend);
        place.begin_ns = wait.begin_ns;
        place.end_ns = wait.end_ns;
        place.line = wait.line;
        places.push_back(place);
    }
    return places;
}

Place Facts::whole(Place::Row row, int lane) const {
    Place place;
    place.row = row;
    place.lane = lane;
    place.begin_ns = part.begin_ns;
    place.end_ns = part.end_ns;
    return place;
}

}  // namespace headway::model
