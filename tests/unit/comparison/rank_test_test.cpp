#include "app/comparison/rank_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace headway::comparison {
namespace {

using Values = std::vector<double>;

// Brute force: twice the share of all assignments of the values whose rank sum is at least as extreme.
double by_hand(const Values& a, const Values& b) {
    Values all = a;
    all.insert(all.end(), b.begin(), b.end());
    const auto rank = [&all](double value) {
        const auto below = std::count_if(all.begin(), all.end(), [value](double v) { return v < value; });
        const auto same = std::count(all.begin(), all.end(), value);
        return static_cast<double>(below) + (static_cast<double>(same) + 1) / 2;
    };
    double sum = 0;
    for (const double value : a) {
        sum += rank(value);
    }
    std::vector<bool> chosen(all.size(), false);
    std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(a.size()), true);
    double ways = 0, low = 0, high = 0;
    do {
        double of = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            of += chosen[i] ? rank(all[i]) : 0;
        }
        ++ways;
        low += of <= sum ? 1 : 0;
        high += of >= sum ? 1 : 0;
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    return std::min(1.0, 2 * std::min(low, high) / ways);
}

TEST(RankTest, FullySeparatedSamplesOfFiveHaveTheSmallestP) {
    EXPECT_DOUBLE_EQ(rank_sum_p(Values{1, 2, 3, 4, 5}, Values{6, 7, 8, 9, 10}), 2.0 / 252);
    EXPECT_DOUBLE_EQ(rank_sum_p(Values{6, 7, 8, 9, 10}, Values{1, 2, 3, 4, 5}), 2.0 / 252);
    EXPECT_GT(rank_sum_p(Values{1, 2, 3, 4, 6}, Values{5, 7, 8, 9, 10}), 0.01);
    EXPECT_DOUBLE_EQ(rank_sum_p(Values{1, 2, 3, 4}, Values{6, 7, 8, 9}), 2.0 / 70);
    EXPECT_EQ(rank_sum_p(Values{1}, Values{2}), 1);
    EXPECT_EQ(rank_sum_p(Values{}, Values{2}), 1);
    EXPECT_EQ(rank_sum_p(Values{3, 3, 3, 3, 3}, Values{3, 3, 3, 3, 3}), 1);
}

TEST(RankTest, AgreesWithBruteForce) {
    std::mt19937 random(7);
    for (int i = 0; i < 60; ++i) {
        Values a(2 + random() % 4), b(2 + random() % 5);
        for (Values* values : {&a, &b}) {
            for (double& value : *values) {
                value = static_cast<double>(random() % 6);  // with many ties
            }
        }
        EXPECT_NEAR(rank_sum_p(a, b), by_hand(a, b), 1e-12);
    }
}

TEST(RankTest, ApproximationIsCloseToTheExactValue) {
    std::mt19937 random(11);
    std::normal_distribution<double> noise(0, 1);
    for (int i = 0; i < 20; ++i) {
        Values a(30), b(30);
        for (double& value : a) {
            value = noise(random);
        }
        for (double& value : b) {
            value = noise(random) + 0.5;
        }
        const double exact = rank_sum_p(a, b);
        a.push_back(noise(random));  // with one more value the approximation is used
        EXPECT_NEAR(rank_sum_p(a, b), exact, 0.15);
    }
    Values low(40), high(40);
    for (std::size_t i = 0; i < low.size(); ++i) {
        low[i] = static_cast<double>(i);
        high[i] = static_cast<double>(i + 100);
    }
    EXPECT_LT(rank_sum_p(low, high), 1e-9);
}

}  // namespace
}  // namespace headway::comparison
