#include "app/check/case.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/check/exercise_text.h"

namespace headway::check {
namespace {

TEST(Case, TheFirstIsAsWritten) {
    const auto exercise = parse_exercise(kExercise, "exercise.md");
    const auto cases = draw_cases(*exercise, "key");
    ASSERT_EQ(cases.size(), 2u);
    EXPECT_EQ(cases[0].values[0], (std::pair<std::string, std::string>("size", "32")));
    EXPECT_EQ(cases[0].seed, 0u);
    EXPECT_EQ(cases[0].costs, "t1=5us,t2=60us,t3=10us");
}

TEST(Case, HiddenValuesFollowFromTheKey) {
    const auto exercise = parse_exercise(kExercise, "exercise.md");
    EXPECT_EQ(draw_cases(*exercise, "key"), draw_cases(*exercise, "key"));
    std::set<std::string> sizes, costs;
    std::set<std::uint64_t> seeds;
    for (int i = 0; i < 1000; ++i) {
        const Case hidden = draw_cases(*exercise, std::to_string(i))[1];
        EXPECT_TRUE(hidden.hidden);
        sizes.insert(hidden.values[0].second);
        costs.insert(hidden.costs);
        seeds.insert(hidden.seed);
        const int size = std::stoi(hidden.values[0].second);
        EXPECT_TRUE(size >= 20 && size <= 60);
    }
    EXPECT_EQ(sizes.size(), 41u);
    EXPECT_EQ(costs.size(), 2u);
    EXPECT_GT(seeds.size(), 990u);
}

}  // namespace
}  // namespace headway::check
