// Assigns the spans of another program's trace to lanes. Spans of one thread or stream may be nested and overlap,
// but those of a lane may not. So a track has as many lanes as it has simultaneous spans, and each span keeps its
// length. Private to app/exchange.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/exchange/files/trace_notes.h"
#include "app/exchange/foreign/foreign_spans.h"

namespace headway::exchange {

// Calls call(span, depth) for each span for which `wanted` is true. Depth 0 is the track's first lane. A span is
// deeper than the spans that contain it; otherwise it is on the first free lane.
template <class Wanted, class Call>
void each_with_depth(const ForeignTrace& trace, Wanted wanted, Call call) {
    std::vector<std::int64_t> ends;  // by depth: end of the last span
    const ForeignSpan* before = nullptr;
    for (const ForeignSpan& span : trace.spans) {
        if (!wanted(span)) {
            continue;
        }
        if (before != nullptr && before->track != span.track) {
            ends.clear();
        }
        before = &span;
        while (!ends.empty() && ends.back() <= span.begin_ns) {
            ends.pop_back();
        }
        std::size_t depth = ends.size();
        const std::int64_t end_ns = std::max(span.end_ns, span.begin_ns + 1);
        while (depth > 0 && ends[depth - 1] < end_ns) {  // does not contain this span
            --depth;
        }
        while (depth < ends.size() && ends[depth] > span.begin_ns) {
            ++depth;
        }
        if (depth == ends.size()) {
            ends.push_back(span.end_ns);
        } else {
            ends[depth] = span.end_ns;
        }
        call(span, depth);
    }
}

// The lanes of all tracks, up to the limit for a trace.
class LanePlan {
public:
    explicit LanePlan(std::size_t tracks) : spans_(tracks), lane_of_(tracks) {}

    void count(std::uint32_t track, std::size_t depth) {
        auto& of = spans_[track];
        of.resize(std::max(of.size(), depth + 1));
        ++of[depth];
    }

    struct Lane {
        std::uint32_t track = 0;
        std::size_t depth = 0;
        std::uint32_t first = 0;  // the lane of depth 0 of the same track
    };
    // Call after all spans were counted. Returns the lanes: those of a track are adjacent, and tracks are in the
    // given order. If there are too many, the first lanes of all tracks take precedence over deeper ones.
    std::vector<Lane> settle(const std::vector<std::uint32_t>& tracks);

    [[nodiscard]] std::optional<std::uint8_t> lane_of(std::uint32_t track, std::size_t depth) const {
        const auto& of = lane_of_[track];
        return depth < of.size() ? std::optional(of[depth]) : std::nullopt;
    }
    [[nodiscard]] std::uint64_t overlapping() const;  // spans on lanes other than the first of a track
    // Notes how many of the spans, each called `one`, have no lane.
    void note_left_out(const std::string& one, TraceNotes& notes) const;

private:
    std::vector<std::vector<std::uint64_t>> spans_;   // by track and depth
    std::vector<std::vector<std::uint8_t>> lane_of_;  // by track and depth
    std::uint64_t left_out_ = 0;
};

// The suffix for the name of a track's second lane: " · 2".
std::string depth_suffix(std::size_t depth);

}  // namespace headway::exchange
