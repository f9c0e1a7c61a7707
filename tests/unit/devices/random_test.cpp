// Philox, Box–Muller and their polynomials: known answers, accuracy, distribution, and independence from how a tensor
// is split.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include "engine/devices/kernels/kernels.h"
#include "tests/unit/devices/instruction_sets.h"

namespace headway::devices::kernels {
namespace {

void expect_words(const PhiloxBlock& block, std::array<std::uint32_t, 4> words) {
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(block.word[i], words[i]) << "word " << i;
    }
}

TEST(Philox, GivesTheKnownAnswers) {
    expect_words(philox(0, 0, 0), {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    expect_words(philox(~0ull, ~0ull, ~0ull), {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    expect_words(philox_rounds({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
                 {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(NormalMath, LogarithmIsAccurateToItsStatedError) {
    double worst = 0;
    const auto check = [&](float u) {
        const double exact = -2.0 * std::log(static_cast<double>(u));
        const double got = minus_two_log(u);
        worst = std::max(worst, exact == 0 ? std::fabs(got) : std::fabs(got / exact - 1));
    };
    for (std::uint64_t word = 0; word < (1ull << 32); word += 4093) {
        check(radius_argument_from_word(static_cast<std::uint32_t>(word)));
    }
    for (std::uint32_t i = 0; i < 100'000; ++i) {  // both ends
        check(radius_argument_from_word(i));
        check(radius_argument_from_word(~i));
    }
    EXPECT_LT(worst, 3e-7);
    EXPECT_EQ(minus_two_log(1.0f), 0.0f);
}

TEST(NormalMath, RadiusArgumentStaysInItsRange) {
    EXPECT_EQ(radius_argument_from_word(0), 0x1p-32f);
    EXPECT_EQ(radius_argument_from_word(~0u), 1.0f);
    EXPECT_EQ(unit_from_word(0), 0.0f);
    EXPECT_EQ(unit_from_word(~0u), 1.0f - 0x1p-24f);
}

TEST(NormalMath, SineAndCosineAreAccurateToTheirStatedError) {
    double worst = 0;
    const auto check = [&](std::uint32_t word) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(word) * 0x1p-32;
        const SineCosine got = sine_cosine_of_turn(word);
        worst = std::max({worst, std::fabs(got.sine - std::sin(angle)), std::fabs(got.cosine - std::cos(angle))});
    };
    for (std::uint64_t word = 0; word < (1ull << 32); word += 4093) {
        check(static_cast<std::uint32_t>(word));
    }
    for (std::uint32_t eighth = 0; eighth < 8; ++eighth) {  // around every boundary of the range reduction
        for (std::int32_t near = -1000; near <= 1000; ++near) {
            check((eighth << 29) + static_cast<std::uint32_t>(near));
        }
    }
    EXPECT_LT(worst, 1.5e-7);
    EXPECT_EQ(sine_cosine_of_turn(0).cosine, 1.0f);
    EXPECT_EQ(sine_cosine_of_turn(1u << 30).sine, 1.0f);
    EXPECT_EQ(sine_cosine_of_turn(1u << 31).cosine, -1.0f);
    EXPECT_EQ(sine_cosine_of_turn(3u << 30).sine, -1.0f);
}

class RandomFill : public WithInstructions {
protected:
    static std::vector<float> normals(std::int64_t n, std::uint64_t seed = 1, std::uint64_t stream = 0, float mean = 0,
                                      float deviation = 1) {
        std::vector<float> out(static_cast<std::size_t>(n));
        fill_normal(out.data(), n, seed, stream, mean, deviation);
        return out;
    }
    static std::vector<float> uniforms(std::int64_t n, float low, float high, std::uint64_t seed = 1) {
        std::vector<float> out(static_cast<std::size_t>(n));
        fill_uniform(out.data(), n, seed, 0, low, high);
        return out;
    }
};

INSTANTIATE_TEST_SUITE_P(Instructions, RandomFill, kEveryInstructionSet, name_of_set);

// One element, computed as the header describes.
float normal_at(std::int64_t i, std::uint64_t seed, std::uint64_t stream, float mean, float deviation) {
    const PhiloxBlock block = philox(seed, static_cast<std::uint64_t>(i) / 4, stream);
    const int pair = i % 4 < 2 ? 0 : 2;
    const float radius = std::sqrt(minus_two_log(radius_argument_from_word(block.word[pair])));
    const SineCosine turn = sine_cosine_of_turn(block.word[pair + 1]);
    return mean + deviation * (radius * (i % 2 == 0 ? turn.cosine : turn.sine));
}

TEST_P(RandomFill, NormalsEqualTheFormulaBitForBit) {
    constexpr std::uint64_t kSeed = 0x123456789abcdef0;
    constexpr std::uint64_t kStream = 0xfedcba9876543210;
    const auto got = normals(3001, kSeed, kStream, 1.5f, 0.3f);
    for (std::int64_t i = 0; i < 3001; ++i) {
        const float expected = normal_at(i, kSeed, kStream, 1.5f, 0.3f);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(got[static_cast<std::size_t>(i)]),
                  std::bit_cast<std::uint32_t>(expected))
            << i;
    }
}

TEST_P(RandomFill, ValuesAreTheSameOnEveryMachine) {
    const auto got = normals(8, 0, 1);
    const std::array<std::uint32_t, 8> frozen{0x3f88a6cb, 0xbed9c6b5, 0xc0178cdf, 0xbe6d0d85,
                                              0x3ecf57cf, 0xbf0d6117, 0xbf887d8a, 0x3f061779};
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(got[i]), frozen[i]) << got[i];
    }
    // FNV-1a over the bytes of a million values.
    const auto many = normals(1'000'000, 42, 7);
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const float value : many) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (bits >> shift & 0xff)) * 0x100000001b3;
        }
    }
    EXPECT_EQ(hash, 0x1598df97ef65efe7u);
}

TEST_P(RandomFill, AShorterTensorIsAPrefixOfALongerOne) {
    const auto longest = normals(1100);
    const auto longest_uniform = uniforms(1100, -1, 1);
    for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 63, 255, 256, 257, 511, 512, 1023, 1099}) {
        const auto shorter = normals(n);
        EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longest.begin())) << n;
        const auto uniform = uniforms(n, -1, 1);
        EXPECT_TRUE(std::equal(uniform.begin(), uniform.end(), longest_uniform.begin())) << n;
    }
}

TEST_P(RandomFill, WritesNothingBeyondItsElements) {
    std::vector<float> out(300, 7.0f);
    fill_normal(out.data(), 257, 1, 1, 0, 1);
    EXPECT_TRUE(std::all_of(out.begin() + 257, out.end(), [](float x) { return x == 7.0f; }));
}

TEST_P(RandomFill, NormalsAreNormal) {
    constexpr std::int64_t kN = 4'000'000;
    auto z = normals(kN, 11, 3);
    double m1 = 0;
    double m2 = 0;
    double m3 = 0;
    double m4 = 0;
    for (const float value : z) {
        const double x = value;
        m1 += x;
        m2 += x * x;
        m3 += x * x * x;
        m4 += x * x * x * x;
    }
    const double n = static_cast<double>(kN);
    // Five standard errors each: 1/√n, √(2/n), √(15/n), √(96/n).
    EXPECT_LT(std::fabs(m1 / n), 5 / std::sqrt(n));
    EXPECT_LT(std::fabs(m2 / n - 1), 5 * std::sqrt(2 / n));
    EXPECT_LT(std::fabs(m3 / n), 5 * std::sqrt(15 / n));
    EXPECT_LT(std::fabs(m4 / n - 3), 5 * std::sqrt(96 / n));
    // Kolmogorov–Smirnov: the largest distance of the distributions, times √n, exceeds 1.95 once in a thousand.
    std::sort(z.begin(), z.end());
    double distance = 0;
    for (std::size_t i = 0; i < z.size(); i += 97) {
        const double exact = 0.5 * std::erfc(-static_cast<double>(z[i]) / std::numbers::sqrt2);
        distance = std::max(distance, std::fabs(exact - (static_cast<double>(i) + 0.5) / n));
    }
    EXPECT_LT(distance * std::sqrt(n), 1.95);
    // The tails: of 4 M draws some exceed 4.5 standard deviations (27 expected), none exceeds the possible maximum.
    EXPECT_GT(z.back(), 4.5f);
    EXPECT_LT(z.front(), -4.5f);
    EXPECT_LT(z.back(), 6.67f);
}

TEST_P(RandomFill, NeighboursStreamsAndSeedsAreUncorrelated) {
    constexpr std::size_t kN = 1'000'000;
    const auto a = normals(kN, 5, 0);
    const auto other_stream = normals(kN, 5, 1);
    const auto other_seed = normals(kN, 6, 0);
    const auto correlation = [&](const std::vector<float>& b, std::size_t shift) {
        double sum = 0;
        for (std::size_t i = 0; i + shift < kN; ++i) {
            sum += static_cast<double>(a[i]) * static_cast<double>(b[i + shift]);
        }
        return std::fabs(sum / static_cast<double>(kN));
    };
    for (std::size_t shift = 1; shift <= 8; ++shift) {
        EXPECT_LT(correlation(a, shift), 5e-3) << shift;
    }
    EXPECT_LT(correlation(other_stream, 0), 5e-3);
    EXPECT_LT(correlation(other_seed, 0), 5e-3);
}

TEST_P(RandomFill, UniformsFillTheirRangeEvenlyAndStayBelowItsEnd) {
    constexpr std::size_t kBins = 100;
    constexpr std::int64_t kN = 1'000'000;
    std::array<int, kBins> count{};
    for (const float u : uniforms(kN, 0, 1)) {
        ASSERT_GE(u, 0.0f);
        ASSERT_LT(u, 1.0f);
        ++count[static_cast<std::size_t>(u * kBins)];
    }
    double chi_squared = 0;
    for (const int c : count) {
        chi_squared += (c - 1e4) * (c - 1e4) / 1e4;
    }
    EXPECT_LT(chi_squared, 160);  // 99 degrees of freedom: above this once in 10,000
    EXPECT_GT(chi_squared, 50);
    // Rounding alone would reach the upper end of a range like this one.
    for (const float u : uniforms(kN, 1.0f, std::nextafter(1.0f, 2.0f))) {
        ASSERT_EQ(u, 1.0f);
    }
    for (const float u : uniforms(100, 3.0f, 3.0f)) {
        ASSERT_EQ(u, 3.0f);
    }
}

}  // namespace
}  // namespace headway::devices::kernels
