#include "app/comparison/rank_test.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace headway::comparison {
namespace {

// One of all values in ascending order: twice its rank (equal values share the mean rank), and its sample.
struct Ranked {
    double value = 0;
    bool first = false;
    std::uint32_t twice_rank = 0;
};

std::vector<Ranked> ranked(std::span<const double> a, std::span<const double> b) {
    std::vector<Ranked> all;
    all.reserve(a.size() + b.size());
    for (const double value : a) {
        all.push_back({value, true});
    }
    for (const double value : b) {
        all.push_back({value, false});
    }
    std::sort(all.begin(), all.end(), [](const Ranked& x, const Ranked& y) { return x.value < y.value; });
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i + 1;
        while (end < all.size() && all[end].value == all[i].value) {
            ++end;
        }
        for (std::size_t k = i; k < end; ++k) {
            all[k].twice_rank = static_cast<std::uint32_t>(i + 1 + end);
        }
        i = end;
    }
    return all;
}

// Exact p-value. ways[s]: the number of ways in which `size` of the ranks have the (doubled) sum s.
double exact(const std::vector<Ranked>& all, std::size_t size, std::size_t sum) {
    std::size_t most = 0;
    for (const Ranked& value : all) {
        most += value.twice_rank;
    }
    std::vector<std::vector<double>> ways(size + 1, std::vector<double>(most + 1, 0));
    ways[0][0] = 1;
    std::size_t seen = 0, reached = 0;  // number of values so far, and the largest sum that they can reach
    for (const Ranked& value : all) {
        for (std::size_t k = std::min(size, seen + 1); k-- > 0;) {
            for (std::size_t s = reached + 1; s-- > 0;) {
                ways[k + 1][s + value.twice_rank] += ways[k][s];
            }
        }
        ++seen;
        reached += value.twice_rank;
    }
    double below = 0, above = 0, total = 0;
    for (std::size_t s = 0; s <= most; ++s) {
        total += ways[size][s];
        below += s <= sum ? ways[size][s] : 0;
        above += s >= sum ? ways[size][s] : 0;
    }
    return std::min(1.0, 2 * std::min(below, above) / total);
}

double approximate(const std::vector<Ranked>& all, double n, double m, double sum) {
    const double count = n + m;
    double ties = 0;
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i + 1;
        while (end < all.size() && all[end].twice_rank == all[i].twice_rank) {
            ++end;
        }
        const auto t = static_cast<double>(end - i);
        ties += t * t * t - t;
        i = end;
    }
    const double variance = n * m / 12 * (count + 1 - ties / (count * (count - 1)));
    if (variance <= 0) {
        return 1;
    }
    const double apart = std::abs(sum - n * (count + 1) / 2);
    return std::min(1.0, std::erfc(std::max(0.0, apart - 0.5) / std::sqrt(2 * variance)));
}

}  // namespace

double rank_sum_p(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty()) {
        return 1;
    }
    const bool swap = b.size() < a.size();  // the same result, faster
    const auto all = swap ? ranked(b, a) : ranked(a, b);
    const std::size_t size = std::min(a.size(), b.size());
    std::size_t sum = 0;
    for (const Ranked& value : all) {
        sum += value.first ? value.twice_rank : 0;
    }
    return all.size() <= kMostExact ? exact(all, size, sum)
                                    : approximate(all, static_cast<double>(size),
                                                  static_cast<double>(all.size() - size), static_cast<double>(sum) / 2);
}

}  // namespace headway::comparison
