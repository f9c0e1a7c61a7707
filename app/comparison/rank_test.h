// The two-sided rank-sum test (Mann-Whitney): the probability that two samples of the same distribution differ in
// their ranks at least as much as the given ones.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <span>

namespace headway::comparison {

// For up to this many values in total the p-value is exact, with ties (from the distribution over all assignments
// of the observed ranks). For more it is the normal approximation, corrected for ties and continuity.
inline constexpr std::size_t kMostExact = 60;

// 1 if a sample is empty. Two fully separated samples of five values each give p = 2/252 = 0.0079.
[[nodiscard]] double rank_sum_p(std::span<const double> a, std::span<const double> b);

}  // namespace headway::comparison
