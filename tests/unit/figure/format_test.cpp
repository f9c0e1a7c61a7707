#include "app/render/format.h"

#include <gtest/gtest.h>

namespace headway::figure {
namespace {

TEST(Format, DurationsHaveThreeDigits) {
    EXPECT_EQ(duration_text(0), "0 ns");
    EXPECT_EQ(duration_text(7.5), "7.5 ns");
    EXPECT_EQ(duration_text(412), "412 ns");
    EXPECT_EQ(duration_text(999.4), "999 ns");
    EXPECT_EQ(duration_text(999.6), "1.00 µs");
    EXPECT_EQ(duration_text(3100), "3.10 µs");
    EXPECT_EQ(duration_text(38'440), "38.4 µs");
    EXPECT_EQ(duration_text(370'000), "370 µs");
    EXPECT_EQ(duration_text(999'700), "1.00 ms");
    EXPECT_EQ(duration_text(2'910'000), "2.91 ms");
    EXPECT_EQ(duration_text(9'996'000), "10.0 ms");
    EXPECT_EQ(duration_text(12.34e9), "12.3 s");
    EXPECT_EQ(duration_text(4000e9), "4000 s");
    EXPECT_EQ(duration_text(-1500), "−1.50 µs");
}

TEST(Format, PositionsHaveTheDigitsThatTheViewResolves) {
    EXPECT_EQ(place_text(31'412'345, 0.1), "31.412345 ms");
    EXPECT_EQ(place_text(31'412'345, 1), "31.412345 ms");
    EXPECT_EQ(place_text(31'412'345, 55'000), "31.41 ms");
    EXPECT_EQ(place_text(31'412'345, 1000), "31.412 ms");
    EXPECT_EQ(place_text(31'412'345, 1e9), "31.4 ms");
    EXPECT_EQ(place_text(1'500'000'001, 0.01), "1.500000001 s");
    EXPECT_EQ(place_text(412, 0.01), "412 ns");
    EXPECT_EQ(place_text(0, 1), "0 ns");
    EXPECT_EQ(place_text(-31'412'345, 1), "\u221231.412345 ms");
    EXPECT_EQ(place_text(2500, 0.1), "2.500 µs");
}

TEST(Format, BudgetsKeepTheirUnit) {
    EXPECT_EQ(budget_text(8u << 20), "8 MiB");
    EXPECT_EQ(budget_text(std::uint64_t{2} << 30), "2 GiB");
    EXPECT_EQ(budget_text(64u << 10), "64 KiB");
    EXPECT_EQ(budget_text(1000u << 20), "1000 MiB");
    EXPECT_EQ(budget_text(64'000'000), "64 MB");  // although it is also 62500 KiB
    EXPECT_EQ(budget_text(64'000), "64 kB");
    EXPECT_EQ(budget_text(1001), "1.0 kB");
    EXPECT_EQ(budget_text(std::uint64_t{12'342'042} << 10), "13 GB");  // half of a computer's memory
    EXPECT_EQ(budget_in_both_units(std::uint64_t{12'342'042} << 10), "13 GB");
    EXPECT_EQ(budget_in_both_units(8u << 20), "8 MiB (8.4 MB)");
    EXPECT_EQ(budget_in_both_units(64'000'000), "64 MB");
}

TEST(Format, BytesAreDecimal) {
    EXPECT_EQ(bytes_text(0), "0 B");
    EXPECT_EQ(bytes_text(812), "812 B");
    EXPECT_EQ(bytes_text(2'600'000), "2.6 MB");
    EXPECT_EQ(bytes_text(26'310'000), "26 MB");
    EXPECT_EQ(bytes_text(353'000'000), "353 MB");
    EXPECT_EQ(bytes_text(999'800'000), "1.0 GB");
    EXPECT_EQ(bytes_text(12'000'000'000'000), "12 TB");
}

TEST(Format, ThousandsHaveSeparators) {
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1204), "1,204");
    EXPECT_EQ(count_text(10'000'000), "10,000,000");
}

TEST(Format, PercentsAndFactors) {
    EXPECT_EQ(percent_text(0), "0 %");
    EXPECT_EQ(percent_text(0.004), "0.4 %");
    EXPECT_EQ(percent_text(0.139), "14 %");
    EXPECT_EQ(percent_text(1e-5), "< 0.1 %");
    EXPECT_EQ(times_text(13.44), "13.4×");
    EXPECT_EQ(times_text(140.2), "140×");
    EXPECT_EQ(model::larger_text(46, 1), "A 46.0×");
    EXPECT_EQ(model::larger_text(100, 102), "B by 2.0 %");
    EXPECT_EQ(model::larger_text(114, 100), "A by 14 %");
    EXPECT_EQ(model::larger_text(100'000, 100'001), "B by < 0.1 %");
    EXPECT_EQ(model::larger_text(3, 3), "equal");
    EXPECT_EQ(model::larger_text(3, 0), "");
    EXPECT_EQ(model::larger_text(-1, 3), "");
}

TEST(Format, TicksAreRoundAndFarEnoughApart) {
    for (double span : {3.0, 170.0, 3.5e6, 9.99e8, 7.2e10}) {
        for (int ticks = 2; ticks < 30; ++ticks) {
            const Ticks t = ticks_for(span, span / ticks);
            EXPECT_GE(t.step_ns, span / ticks * (1 - 1e-6));
            EXPECT_LE(t.step_ns, span / ticks * 2.51);
        }
    }
    const Ticks t = ticks_for(3.5e6, 0.3e6);
    EXPECT_STREQ(t.unit_in_words, "milliseconds");
    EXPECT_EQ(tick_text(t, 0, true), "0");
    EXPECT_EQ(tick_text(t, 1.5e6, true), "1.5 ms");
    EXPECT_EQ(tick_text(t, 1.5e6, false), "1.5");
    EXPECT_EQ(tick_text(t, -0.5e6, false), "−0.5");
}

TEST(Format, NeighbouringTicksDiffer) {
    for (double step : {0.25, 1.0, 250.0, 2.5e6, 5e9}) {
        const Ticks t = ticks_for(step * 10, step);
        std::string before;
        for (int i = 0; i < 10; ++i) {
            const std::string text = tick_text(t, i * t.step_ns, false);
            EXPECT_NE(text, before);
            before = text;
        }
    }
}

TEST(Format, CompactCounts) {
    EXPECT_EQ(compact_count_text(0), "0");
    EXPECT_EQ(compact_count_text(1204), "1,204");
    EXPECT_EQ(compact_count_text(99'999), "99,999");
    EXPECT_EQ(compact_count_text(100'000), "100k");
    EXPECT_EQ(compact_count_text(999'999), "1.0M");
    EXPECT_EQ(compact_count_text(3'456'000), "3.5M");
    EXPECT_EQ(compact_count_text(12'345'678), "12M");
}

}  // namespace
}  // namespace headway::figure
