// Converts traces without kernels: each thread becomes one lane per depth of its spans.
#include <algorithm>
#include <numeric>

#include "app/exchange/foreign/foreign_lanes.h"
#include "app/exchange/foreign/foreign_spans.h"

namespace headway::exchange {

void build_from_threads(const ForeignTrace& trace, RunBuilder& builder, TraceNotes& notes) {
    const auto all = [](const ForeignSpan&) { return true; };
    LanePlan plan(trace.tracks.size());
    each_with_depth(trace, all, [&plan](const ForeignSpan& span, std::size_t depth) { plan.count(span.track, depth); });
    std::vector<std::uint32_t> tracks(trace.tracks.size());
    std::iota(tracks.begin(), tracks.end(), 0u);
    std::stable_sort(tracks.begin(), tracks.end(), [&trace](std::uint32_t a, std::uint32_t b) {
        return trace.tracks[a].order < trace.tracks[b].order;
    });
    for (const LanePlan::Lane& lane : plan.settle(tracks)) {
        builder.lane_names.push_back(label_of(trace.tracks[lane.track]) + depth_suffix(lane.depth));
        builder.lanes.emplace_back();
    }
    ForeignOps ops(trace, builder);
    each_with_depth(trace, all, [&](const ForeignSpan& span, std::size_t depth) {
        if (const auto lane = plan.lane_of(span.track, depth)) {
            ops.add(ops.made_of(span, *lane));
        }
    });
    ops.finish();
    plan.note_left_out("span", notes);
}

}  // namespace headway::exchange
