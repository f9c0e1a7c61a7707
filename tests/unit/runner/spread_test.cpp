#include "app/runner/commands/spread.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/runner/execution/words.h"

namespace headway::runner {
namespace {

std::vector<model::Numbers> totals(const std::vector<std::int64_t>& ns) {
    std::vector<model::Numbers> runs;
    for (const auto total : ns) {
        model::Numbers numbers;
        numbers.total_ns = total;
        numbers.headway_max = static_cast<std::uint64_t>(1000 - total);
        numbers.t1.count = numbers.t2.count = numbers.t3.count = 1;
        runs.push_back(numbers);
    }
    return runs;
}

TEST(Spread, TheMedianIsInTheMiddle) {
    const MedianAndRange odd = median_and_range({5, 1, 9});
    EXPECT_EQ(odd.median, 5);
    EXPECT_EQ(odd.least, 1);
    EXPECT_EQ(odd.most, 9);
    EXPECT_EQ(median_and_range({4, 1, 2, 9}).median, 3);
    EXPECT_EQ(median_and_range({7}).median, 7);
}

TEST(Spread, TheMedianRunRepresentsAll) {
    const auto runs = totals({300, 100, 200});
    EXPECT_EQ(middle_of(runs), 2u);
    EXPECT_EQ(middle_of(totals({400, 100, 300, 200})), 3u) << "of two in the middle the faster one";
}

TEST(Spread, TheReportListsTheWarmUpSeparately) {
    const auto json = spreads_json(totals({300, 100, 200}), totals({900}).front());
    EXPECT_EQ(json["runs"], 3);
    EXPECT_EQ(json["total_ns"]["median"], 200);
    EXPECT_EQ(json["total_ns"]["least"], 100);
    EXPECT_EQ(json["total_ns"]["most"], 300);
    EXPECT_EQ(json["total_ns"]["warmup"], 900);
    EXPECT_EQ(json["totals_ns"], nlohmann::ordered_json({300, 100, 200}));
    EXPECT_EQ(json["total_ns"]["each"], json["totals_ns"]);
    EXPECT_EQ(json["ops"]["each"].size(), 3u);
}

TEST(Spread, CoversOnlyWhatAllTracesContain) {
    auto runs = totals({300, 100});
    runs[1].capabilities.issues = runs[1].capabilities.memory = false;
    std::string names;
    for (const Measure& measure : measures()) {
        names += is_known(measure, runs) ? std::string(measure.name) + "," : "";
    }
    EXPECT_EQ(names, "total,blocked,t₂,ops,pending bytes,");
}

// A run that never waited has no t₃, and one without ops no medians at all.
TEST(Spread, AMedianOfNothingIsNotKnown) {
    auto runs = totals({300, 100});
    const auto known = [&runs] {
        std::string names;
        for (const Measure& measure : measures()) {
            const std::string name = measure.name;
            names += name.starts_with("t") && name != "total" && is_known(measure, runs) ? name : "";
        }
        return names;
    };
    EXPECT_EQ(known(), "t₁t₂t₃");
    runs[0].t3.count = 0;
    EXPECT_EQ(known(), "t₁t₂");
    runs[1].t1.count = runs[1].t2.count = 0;
    EXPECT_EQ(known(), "");
}

TEST(Spread, ThePredictionIsKnownIfEveryRunHasOne) {
    auto runs = totals({300, 100});
    const auto& measure = measures()[1];
    ASSERT_STREQ(measure.key, "predicted_ns");
    runs[0].predicted = true;
    EXPECT_FALSE(is_known(measure, runs));
    runs[1].predicted = true;
    EXPECT_TRUE(is_known(measure, runs));
}

TEST(Spread, TheReportHasNullForWhatIsNotKnown) {
    auto runs = totals({300, 100});
    runs[0].t3.count = 0;
    runs[1].t3_ns = 7;
    const auto json = spreads_json(runs, runs[1]);
    EXPECT_EQ(json["t3_ns"], nlohmann::ordered_json::parse(
                                 R"({"median": null, "least": null, "most": null, "warmup": 7, "each": [null, 7]})"));
}

TEST(Words, ColumnsCountCharactersAndNotBytes) {
    EXPECT_EQ(right_aligned("12 µs", 7), "  12 µs");
    EXPECT_EQ(right_aligned("12 ms", 7), "  12 ms");
    EXPECT_EQ(right_aligned("too long", 3), "too long");
}

TEST(Spread, AReportGetsAFurtherMember) {
    EXPECT_EQ(with_member("{\n  \"a\": 1\n}\n", "b", "{\n  \"c\": [\n    2\n  ]\n}\n"),
              "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      2\n    ]\n  }\n}\n");
}

}  // namespace
}  // namespace headway::runner
