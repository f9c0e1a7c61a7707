// Traces without kernels: threads are lanes, one for each depth of their spans.
#include <algorithm>
#include <map>

#include "app/exchange/foreign_spans.h"

namespace headway::exchange {

void draft_from_threads(const ForeignTrace& trace, Draft& draft, std::vector<std::string>& notes) {
    // How deep each span lies: below those that are open when it begins.
    std::vector<std::uint16_t> depth_of(trace.spans.size(), 0);
    std::vector<std::vector<std::uint64_t>> count(trace.tracks.size());
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < trace.spans.size(); ++i) {
        const ForeignSpan& span = trace.spans[i];
        if (i > 0 && trace.spans[i - 1].track != span.track) {
            ends.clear();
        }
        while (!ends.empty() && ends.back() <= span.begin_ns) {
            ends.pop_back();
        }
        depth_of[i] = static_cast<std::uint16_t>(std::min<std::size_t>(ends.size(), UINT16_MAX));
        ends.push_back(span.end_ns);
        auto& levels = count[span.track];
        levels.resize(std::max<std::size_t>(levels.size(), depth_of[i] + 1u));
        ++levels[depth_of[i]];
    }
    struct Row {
        std::uint32_t track = 0;
        std::size_t depth = 0;
        std::uint64_t spans = 0;
    };
    std::vector<Row> rows;
    std::uint64_t left_out = 0;
    for (std::uint32_t track = 0; track < trace.tracks.size(); ++track) {
        for (std::size_t depth = 0; depth < count[track].size(); ++depth) {
            rows.push_back({track, depth, count[track][depth]});
        }
    }
    // The outer spans of all threads before the inner ones of any.
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.depth < b.depth; });
    for (; rows.size() > core::kMaxTraceLanes; rows.pop_back()) {
        left_out += rows.back().spans;
    }
    std::stable_sort(rows.begin(), rows.end(), [&trace](const Row& a, const Row& b) {
        return trace.tracks[a.track].order != trace.tracks[b.track].order
                   ? trace.tracks[a.track].order < trace.tracks[b.track].order
                   : a.track < b.track;
    });
    std::map<std::pair<std::uint32_t, std::size_t>, std::uint8_t> lane_of;
    for (const Row& row : rows) {
        lane_of[{row.track, row.depth}] = static_cast<std::uint8_t>(draft.lane_names.size());
        draft.lane_names.push_back(label_of(trace.tracks[row.track]) +
                                   (row.depth > 0 ? " · " + std::to_string(row.depth + 1) : std::string()));
        draft.lanes.emplace_back();
    }
    ForeignOps ops(trace, draft);
    for (std::size_t i = 0; i < trace.spans.size(); ++i) {
        const ForeignSpan& span = trace.spans[i];
        if (const auto lane = lane_of.find({span.track, depth_of[i]}); lane != lane_of.end()) {
            ops.add(ops.made_of(span, lane->second));
        }
    }
    ops.finish();
    if (left_out > 0) {
        notes.push_back(counted(left_out, "span", "spans") + " on lanes beyond the first " +
                        std::to_string(core::kMaxTraceLanes) + " left out.");
    }
}

}  // namespace headway::exchange
