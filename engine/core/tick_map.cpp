#include "engine/core/tick_map.h"

#include <algorithm>
#include <cmath>

namespace headway::core {

namespace {

constexpr double kMostBend = 0.25;  // of the rate: the map always rises

}  // namespace

TickMap::TickMap(Anchor first, Anchor second) : first_(first), newest_(first), converted_ns_(first.ns) {
    pieces_ = {{first.ns, 0, 1}};
    if (second.ns > first.ns && second.ticks > first.ticks) {
        newest_ = second;
        pieces_.front().rate = rate();
    }
}

double TickMap::rate() const {
    return static_cast<double>(newest_.ticks - first_.ticks) / static_cast<double>(newest_.ns - first_.ns);
}

std::int64_t TickMap::period_ns() const {
    return std::min(kAnchorPeriodNs, newest_.ns - first_.ns);
}

bool TickMap::wants_anchor(std::int64_t ns) const {
    return ns > newest_.ns + period_ns();
}

double TickMap::ticks_at(std::int64_t ns) const {
    auto after = std::upper_bound(pieces_.begin(), pieces_.end(), ns,
                                  [](std::int64_t at, const Piece& piece) { return at < piece.ns; });
    const Piece& piece = after == pieces_.begin() ? *after : *(after - 1);
    return piece.ticks + static_cast<double>(ns - piece.ns) * piece.rate;
}

std::uint64_t TickMap::ticks_from_ns(std::int64_t ns) {
    converted_ns_ = std::max(converted_ns_, ns);
    return first_.ticks + static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(ticks_at(ns))));
}

// From the newest converted time on, the map goes straight to where the anchors' line will be at the anchor's time or,
// if that is too near, a period later, and then along the line.
void TickMap::add(Anchor anchor) {
    if (anchor.ns <= newest_.ns || anchor.ticks <= newest_.ticks) {
        return;
    }
    newest_ = anchor;
    const std::int64_t from_ns = converted_ns_;
    const double from = ticks_at(from_ns);
    const double line = static_cast<double>(anchor.ticks - first_.ticks) -
                        static_cast<double>(anchor.ns - from_ns) * rate();  // the anchors' line at from_ns
    const double error = from - line;
    const auto least_ns = static_cast<std::int64_t>(std::ceil(std::abs(error) / (kMostBend * rate())));
    const std::int64_t bend_ns = std::max({anchor.ns - from_ns, period_ns(), least_ns});
    while (!pieces_.empty() && pieces_.back().ns >= from_ns) {
        pieces_.pop_back();
    }
    pieces_.push_back({from_ns, from, rate() - error / static_cast<double>(bend_ns)});
    pieces_.push_back({from_ns + bend_ns, ticks_at(from_ns + bend_ns), rate()});
    while (pieces_.size() > kMostPieces) {
        pieces_.pop_front();
    }
}

}  // namespace headway::core
