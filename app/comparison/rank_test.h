// The two-sided rank-sum test (Mann-Whitney): how probable it is that two samples of one and the same distribution
// differ at least as much in their ranks as these two.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <span>

namespace headway::comparison {

// Of up to this many values together the p-value is exact, ties included (the distribution over all ways of sharing
// the observed ranks out); of more it is the normal approximation, corrected for ties and continuity.
inline constexpr std::size_t kMostExact = 60;

// 1 where a sample is empty. Two fully separated samples of five values each have p = 2/252 = 0.0079.
[[nodiscard]] double rank_sum_p(std::span<const double> a, std::span<const double> b);

}  // namespace headway::comparison
