// Converts CLOCK_MONOTONIC to ticks(), by readings of both clocks (anchors). Each anchor is a little wrong: something
// may come between its two readings.
//
// A time keeps the ticks that it was once converted to. A new anchor changes only what comes after the newest converted
// time, and there it bends the map towards itself instead of letting it jump. So the map is continuous and never
// decreases: an op's parts, which are converted later than the op, stay within it.
//
// Error: at most three times that of the anchors, and one tick, if both clocks run evenly and the first two anchors are
// at least 100 times as far apart as they are wrong. Until the anchors are kAnchorPeriodNs apart, each one is taken
// before the time since the first has doubled, because the rate is known no better than that.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "engine/core/clock.h"

namespace headway::core {

class TickMap {
public:
    static constexpr std::int64_t kAnchorPeriodNs = 10'000'000;

    TickMap() = default;  // one tick is one nanosecond
    TickMap(Anchor first, Anchor second);

    // Whether add() should be called with a new reading before this time is converted.
    [[nodiscard]] bool wants_anchor(std::int64_t ns) const;
    // Ignored unless both clocks are later than in the anchor before.
    void add(Anchor anchor);
    [[nodiscard]] std::uint64_t ticks_from_ns(std::int64_t ns);

private:
    // A line of the map, from `ns` on: `ticks` there, counted from the first anchor, and ticks per nanosecond.
    struct Piece {
        std::int64_t ns;
        double ticks, rate;
    };
    [[nodiscard]] double ticks_at(std::int64_t ns) const;
    [[nodiscard]] double rate() const;
    [[nodiscard]] std::int64_t period_ns() const;

    static constexpr std::size_t kMostPieces = 1 << 14;  // at least 80 s; the oldest one also converts earlier times

    Anchor first_, newest_;
    std::int64_t converted_ns_ = 0;  // the newest
    std::deque<Piece> pieces_{{0, 0, 1}};
};

}  // namespace headway::core
