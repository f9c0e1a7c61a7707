#include "engine/core/tick_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace headway::core {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Two clocks that run evenly, and readings of them that are off by a given time.
struct Clocks {
    std::int64_t first_ns = 5 * kSecond;
    std::uint64_t first_ticks = 123'456'789;
    double rate = 2.4457;

    [[nodiscard]] double ticks(std::int64_t ns) const { return static_cast<double>(ns - first_ns) * rate; }
    [[nodiscard]] Anchor read(std::int64_t ns, double off_ns = 0) const {
        return {first_ticks + static_cast<std::uint64_t>(std::llround(ticks(ns) + off_ns * rate + 1e6)), ns};
    }
    [[nodiscard]] double error_ns(std::int64_t ns, std::uint64_t converted) const {
        return (static_cast<double>(converted - first_ticks) - 1e6 - ticks(ns)) / rate;
    }
};

TEST(TickMap, KeepsTheTicksOfATimeWhenAnAnchorComes) {
    const Clocks clocks;
    const std::int64_t begin = clocks.first_ns;
    TickMap map(clocks.read(begin), clocks.read(begin + 10'000'000, 500));
    const std::int64_t at = begin + 19'000'000;
    const auto early = map.ticks_from_ns(at - 3'000'000);
    const auto before = map.ticks_from_ns(at);
    map.add(clocks.read(at + 100, -1500));  // 2.4 µs earlier than the map has it
    EXPECT_EQ(map.ticks_from_ns(at - 3'000'000), early);
    EXPECT_EQ(map.ticks_from_ns(at), before);
    EXPECT_GE(map.ticks_from_ns(at + 1), before);
    EXPECT_LE(map.ticks_from_ns(at + 1), before + 4);
}

TEST(TickMap, GoesStraightToAnAnchorThatComesLate) {
    const Clocks clocks;
    const std::int64_t begin = clocks.first_ns;
    TickMap map(clocks.read(begin), clocks.read(begin + 1'000'000, 100));  // wrong by 100 ns after each millisecond
    EXPECT_NEAR(clocks.error_ns(begin + 1'000'000, map.ticks_from_ns(begin + 1'000'000)), 100, 1);
    EXPECT_TRUE(map.wants_anchor(begin + 10 * kSecond));
    map.add(clocks.read(begin + 10 * kSecond));
    EXPECT_NEAR(clocks.error_ns(begin + 5 * kSecond, map.ticks_from_ns(begin + 5 * kSecond)), 50, 1);
    EXPECT_NEAR(clocks.error_ns(begin + 10 * kSecond, map.ticks_from_ns(begin + 10 * kSecond)), 0, 1);
}

TEST(TickMap, WantsAnAnchorBeforeTheTimeDoublesAndThenEachPeriod) {
    const Clocks clocks;
    const std::int64_t begin = clocks.first_ns;
    TickMap map(clocks.read(begin), clocks.read(begin + 200'000));
    EXPECT_FALSE(map.wants_anchor(begin + 400'000));
    EXPECT_TRUE(map.wants_anchor(begin + 400'001));
    map.add(clocks.read(begin + kSecond));
    EXPECT_FALSE(map.wants_anchor(begin + kSecond + TickMap::kAnchorPeriodNs));
    EXPECT_TRUE(map.wants_anchor(begin + kSecond + TickMap::kAnchorPeriodNs + 1));
}

TEST(TickMap, RisesEvenIfAnAnchorIsFarOff) {
    const Clocks clocks;
    const std::int64_t begin = clocks.first_ns;
    TickMap map(clocks.read(begin), clocks.read(begin + 10'000'000));
    std::uint64_t last = map.ticks_from_ns(begin + 12'000'000);
    map.add(clocks.read(begin + 12'000'100, -1'000'000));
    map.add(clocks.read(begin + 11'000'000));  // not later than the newest: ignored
    for (std::int64_t ns = 12'000'000; ns < 30'000'000; ns += 1'000) {
        const auto ticks = map.ticks_from_ns(begin + ns);
        EXPECT_GE(ticks, last);
        last = ticks;
    }
}

TEST(TickMap, IgnoresAnAnchorOfWhichOneClockStoodStill) {
    const Clocks clocks;
    const std::int64_t begin = clocks.first_ns;
    const Anchor newest = clocks.read(begin + 10'000'000);
    for (const Anchor& anchor : {Anchor{newest.ticks + 50'000, newest.ns}, Anchor{newest.ticks, newest.ns + 20'000}}) {
        TickMap map(clocks.read(begin), newest), unchanged(clocks.read(begin), newest);
        map.add(anchor);
        for (const std::int64_t ns : {1'000'000, 10'000'000, 40'000'000}) {
            EXPECT_EQ(map.ticks_from_ns(begin + ns), unchanged.ticks_from_ns(begin + ns));
        }
    }
}

// Anchors with random errors, at random times; conversions of recent times in any order, as profilers report them.
TEST(TickMap, IsContinuousAndMonotonicAndNearTheTruthWithNoisyAnchors) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const auto between = [&](double low, double high) {
            return std::uniform_real_distribution<double>(low, high)(random);
        };
        Clocks clocks;
        clocks.rate = between(0.5, 5);
        const double noise_ns = std::pow(10, between(0, 3.3));
        const auto reading = [&](std::int64_t ns) { return clocks.read(ns, between(-noise_ns, noise_ns)); };
        std::int64_t now = clocks.first_ns;
        const Anchor first = reading(now);
        now += static_cast<std::int64_t>(100 * noise_ns + between(1e3, 5e6));
        TickMap map(first, reading(now));
        std::map<std::int64_t, std::uint64_t> converted;
        const auto convert = [&](std::int64_t ns) {
            if (map.wants_anchor(ns)) {
                map.add(reading(now));
            }
            const auto ticks = map.ticks_from_ns(ns);
            const auto [at, fresh] = converted.try_emplace(ns, ticks);
            EXPECT_EQ(at->second, ticks) << "a time was converted to other ticks than before";
            EXPECT_LE(std::abs(clocks.error_ns(ns, ticks)), 3 * noise_ns + 1 / clocks.rate + 0.01);
        };
        for (int i = 0; i < 2'000; ++i) {
            now += static_cast<std::int64_t>(std::pow(10, between(2, i % 100 == 0 ? 8.5 : 7)));
            const std::int64_t ns =
                std::max(clocks.first_ns, now - static_cast<std::int64_t>(std::pow(10, between(0, 8))));
            convert(ns);
            convert(ns + 1);
            convert(std::prev(converted.end(), std::min<std::ptrdiff_t>(std::ssize(converted), 9))->first);
        }
        for (auto at = std::next(converted.begin()); at != converted.end(); ++at) {
            const auto before = std::prev(at);
            ASSERT_LE(before->second, at->second);
            if (at->first == before->first + 1) {
                ASSERT_LE(static_cast<double>(at->second - before->second), 1.25 * clocks.rate * 1.02 + 1);
            }
        }
    }
}

}  // namespace
}  // namespace headway::core
