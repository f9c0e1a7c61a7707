#include "app/model/containers/curve.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace headway::model {
namespace {

// A brute-force reference implementation.
struct PlainCurve {
    std::map<std::int64_t, std::int64_t> changes;

    [[nodiscard]] std::int64_t at(std::int64_t ns) const {
        std::int64_t value = 0;
        for (const auto& [time, delta] : changes) {
            if (time <= ns) {
                value += delta;
            }
        }
        return value;
    }
    [[nodiscard]] Extremes extremes(std::int64_t begin, std::int64_t end) const {
        std::int64_t value = at(begin);
        Extremes extremes{value, value};
        for (auto it = changes.upper_bound(begin); it != changes.end() && it->first < end; ++it) {
            value += it->second;
            extremes.least = std::min(extremes.least, value);
            extremes.most = std::max(extremes.most, value);
        }
        return extremes;
    }
};

TEST(Curve, IsZeroBeforeTheFirstChange) {
    Curve curve;
    curve.settle();
    EXPECT_EQ(curve.at(5), 0);
    EXPECT_EQ(curve.most(), 0);
    EXPECT_EQ(curve.extremes(-3, 7), (Extremes{0, 0}));
    curve.add(10, 4);
    EXPECT_EQ(curve.size(), 0u);  // not yet settled
    curve.settle();
    EXPECT_EQ(curve.at(9), 0);
    EXPECT_EQ(curve.at(10), 4);
    EXPECT_EQ(curve.most(), 4);
    EXPECT_EQ(curve.most_at_ns(), 10);
}

TEST(Curve, ChangesAtTheSameTimeAreAppliedTogether) {
    Curve curve;
    curve.add(10, 1);
    curve.add(20, 1);
    curve.settle();
    curve.add(20, -1);
    curve.settle();
    EXPECT_EQ(curve.size(), 2u);
    EXPECT_EQ(curve.extremes(0, 100), (Extremes{0, 1}));
}

TEST(Curve, ExtremesIncludeTheBeginAndExcludeTheEnd) {
    Curve curve;
    curve.add(0, 5);
    curve.add(10, -3);
    curve.add(20, 10);
    curve.settle();
    EXPECT_EQ(curve.extremes(5, 20), (Extremes{2, 5}));
    EXPECT_EQ(curve.extremes(10, 21), (Extremes{2, 12}));
    EXPECT_EQ(curve.extremes(12, 12), (Extremes{2, 2}));
}

TEST(Curve, SamplesReplaceTheValue) {
    Curve curve;
    curve.set(1, 100);
    curve.set(2, 50);
    curve.settle();
    curve.set(3, 75);
    curve.settle();
    EXPECT_EQ(curve.at(2), 50);
    EXPECT_EQ(curve.at(9), 75);
}

TEST(Curve, AgreesWithBruteForce) {
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&random](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
        Curve curve;
        PlainCurve plain;
        std::int64_t now = 0;
        // How far the order is from ascending.
        const std::uint32_t spread = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 50 : 5000;
        for (int round = 0; round < 60; ++round) {
            const auto count = below(round % 7 == 0 ? 400 : 20);
            for (std::int64_t i = 0; i < count; ++i) {
                now += below(4);
                const std::int64_t ns = now - below(spread);
                const std::int64_t delta = below(21) - 10;
                curve.add(ns, delta);
                plain.changes[ns] += delta;
            }
            curve.settle();
            ASSERT_EQ(curve.size(), plain.changes.size());
            for (int i = 0; i < 10; ++i) {
                const std::int64_t begin = below(static_cast<std::uint32_t>(now + 200)) - 100;
                const std::int64_t end = begin + below(i % 2 == 0 ? 30 : static_cast<std::uint32_t>(now + 100));
                ASSERT_EQ(curve.at(begin), plain.at(begin));
                ASSERT_EQ(curve.extremes(begin, end), plain.extremes(begin, end)) << begin << " " << end;
                if (round % 6 != 0) {
                    continue;
                }
                // Columns of equal, zero and random width, from before the curve to after it.
                std::vector<std::int64_t> bounds{begin};
                for (int k = 0; k < 12; ++k) {
                    bounds.push_back(bounds.back() + (i % 3 == 0 ? 7 : below(i % 3 == 1 ? 3 : 200)));
                }
                std::vector<Extremes> columns;
                curve.columns(bounds, columns);
                ASSERT_EQ(columns.size(), bounds.size() - 1);
                for (std::size_t k = 0; k < columns.size(); ++k) {
                    ASSERT_EQ(columns[k], plain.extremes(bounds[k], bounds[k + 1]))
                        << bounds[k] << " " << bounds[k + 1];
                }
            }
            if (curve.size() > 0) {
                std::int64_t most = INT64_MIN;
                std::int64_t where = 0;
                std::int64_t value = 0;
                std::size_t i = 0;
                for (const auto& [time, delta] : plain.changes) {
                    value += delta;
                    ASSERT_EQ(curve.time(i), time);
                    ASSERT_EQ(curve.value(i), value);
                    if (value > most) {
                        most = value;
                        where = time;
                    }
                    ++i;
                }
                ASSERT_EQ(curve.most(), most);
                ASSERT_EQ(curve.most_at_ns(), where);
            }
        }
    }
}

TEST(Curve, TakesEveryChangeOfAnotherCurve) {
    Curve other;
    PlainCurve plain;
    std::mt19937 random(3);
    for (int i = 0; i < 500; ++i) {
        const auto ns = static_cast<std::int64_t>(random() % 1000);
        const auto delta = static_cast<std::int64_t>(random() % 9) - 4;
        other.add(ns, delta);
        plain.changes[ns] += delta;
        if (i == 300) {
            other.settle();  // the rest is taken unsettled
        }
    }
    Curve curve;
    curve.take(other);
    curve.settle();
    for (std::int64_t ns = -1; ns < 1001; ++ns) {
        ASSERT_EQ(curve.at(ns), plain.at(ns)) << ns;
    }
    EXPECT_EQ(curve.extremes(100, 900), plain.extremes(100, 900));
}

// A folded block has one value for all that lies in it: its extremes.
TEST(Curve, AFoldedBlockKeepsItsExtremes) {
    Curve curve, whole;
    std::mt19937 random(4);
    const std::int64_t count = 6 * static_cast<std::int64_t>(Curve::kFolded);
    std::int64_t value = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t next = static_cast<std::int64_t>(random() % 1000) + (i == count / 2 ? 5000 : 0);
        curve.add(10 * i, next - value);
        whole.add(10 * i, next - value);
        value = next;
    }
    curve.settle();
    whole.settle();
    const std::int64_t block_ns = 10 * static_cast<std::int64_t>(Curve::kFolded);
    const Curve::Kept kept[] = {{0, block_ns}};
    curve.fold(5 * block_ns + 1, kept);
    EXPECT_FALSE(curve.is_folded(0));
    EXPECT_TRUE(curve.is_folded(Curve::kFolded));
    EXPECT_TRUE(curve.is_folded(5 * Curve::kFolded - 1));
    EXPECT_FALSE(curve.is_folded(5 * Curve::kFolded));
    EXPECT_EQ(curve.size(), whole.size());
    EXPECT_EQ(curve.most(), whole.most());
    EXPECT_EQ(curve.most_at_ns(), whole.most_at_ns());
    EXPECT_TRUE(curve.exact_at(block_ns - 1));
    EXPECT_FALSE(curve.exact_at(2 * block_ns));
    for (int round = 0; round < 300; ++round) {
        const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(10 * count));
        const auto end = begin + 1 + static_cast<std::int64_t>(random() % (round % 2 == 0 ? 1000u : 700'000u));
        const Extremes some = curve.extremes(begin, end), all = whole.extremes(begin, end);
        ASSERT_LE(some.least, all.least);
        ASSERT_GE(some.most, all.most);
        if (end <= block_ns || begin >= 5 * block_ns) {
            ASSERT_EQ(some, all);
        }
        const std::int64_t bounds[] = {begin, end, end + 500};
        std::vector<Extremes> columns;
        curve.columns(bounds, columns);
        ASSERT_EQ(columns[0], some);
    }
    // Around the bounds of what is folded: each value that is kept, and no less than each that is not.
    for (const std::int64_t bound_ns : {block_ns, 5 * block_ns}) {
        for (std::int64_t ns = bound_ns - 32; ns <= bound_ns + 30; ns += 3) {
            ASSERT_EQ(curve.exact_at(ns), ns < block_ns || ns >= 5 * block_ns) << ns;
            if (curve.exact_at(ns)) {
                ASSERT_EQ(curve.at(ns), whole.at(ns)) << ns;
            } else {
                ASSERT_EQ(curve.at(ns), curve.extremes(ns, ns + 1).most) << ns;
                ASSERT_GE(curve.at(ns), whole.at(ns)) << ns;
            }
        }
    }
    // The curve goes on.
    curve.add(10 * count, 7);
    curve.settle();
    EXPECT_EQ(curve.at(10 * count), value + 7);
}

TEST(Curve, ARestoredOneHasOneChangeAtATime) {
    const Curve::Point changes[] = {{1, 5}, {1, 7}, {0, 9}, {3, 2}};
    const Curve curve = Curve::restored(changes, {});
    EXPECT_EQ(curve.size(), 2u);
    EXPECT_EQ(curve.at(1), 5);
    EXPECT_EQ(curve.at(3), 2);
}

}  // namespace
}  // namespace headway::model
