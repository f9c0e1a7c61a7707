#include "app/exchange/foreign/foreign_lanes.h"

#include <numeric>

namespace headway::exchange {

std::vector<LanePlan::Lane> LanePlan::settle(const std::vector<std::uint32_t>& tracks) {
    std::vector<Lane> lanes;
    for (std::size_t depth = 0, more = 1; more > 0; ++depth) {
        more = 0;
        for (const std::uint32_t track : tracks) {
            if (depth >= spans_[track].size()) {
                continue;
            }
            ++more;
            if (lanes.size() < core::kMaxTraceLanes) {
                lanes.push_back({track, depth, 0});
            } else {
                left_out_ += spans_[track][depth];
            }
        }
    }
    std::vector<std::size_t> rank(spans_.size(), 0);
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        rank[tracks[i]] = i;
    }
    std::stable_sort(lanes.begin(), lanes.end(),
                     [&rank](const Lane& a, const Lane& b) { return rank[a.track] < rank[b.track]; });
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        lane_of_[lanes[i].track].push_back(static_cast<std::uint8_t>(i));
        lanes[i].first = static_cast<std::uint32_t>(i - lanes[i].depth);
    }
    return lanes;
}

std::uint64_t LanePlan::overlapping() const {
    std::uint64_t count = 0;
    for (const auto& of : spans_) {
        count += of.empty() ? 0 : std::accumulate(of.begin() + 1, of.end(), std::uint64_t{0});
    }
    return count;
}

void LanePlan::note_left_out(const std::string& one, TraceNotes& notes) const {
    notes.left_out(left_out_, core::counted(left_out_, one) + " on lanes beyond the first " +
                                  std::to_string(core::kMaxTraceLanes) + verb(left_out_, " was", " were") +
                                  " left out.");
}

std::string depth_suffix(std::size_t depth) {
    return depth > 0 ? " · " + std::to_string(depth + 1) : std::string();
}

}  // namespace headway::exchange
