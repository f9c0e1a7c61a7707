// The arithmetic of the random ops, one element (or one block) at a time: Philox4x32-10 (Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011) and Box–Muller with polynomials of our own.
//
// Everything here is integer arithmetic, conversions and single IEEE additions, subtractions and multiplications in a
// fixed order. So every CPU and every instruction set gives the same bits, provided that the compiler fuses nothing:
// -ffp-contract=off here, -fmad=false for CUDA kernels (which can call these constexpr functions with
// --expt-relaxed-constexpr). Only the square root of the radius is left to the caller; IEEE rounds it correctly too.
//
// Threads: any; no state.
#pragma once

#include <bit>
#include <cstdint>

namespace headway::devices::kernels {

// --- Philox4x32-10 ---

struct PhiloxBlock {
    std::uint32_t word[4];
};

inline constexpr std::uint32_t kPhiloxMultiplier0 = 0xD2511F53u;
inline constexpr std::uint32_t kPhiloxMultiplier1 = 0xCD9E8D57u;
inline constexpr std::uint32_t kPhiloxKeyStep0 = 0x9E3779B9u;
inline constexpr std::uint32_t kPhiloxKeyStep1 = 0xBB67AE85u;
inline constexpr int kPhiloxRounds = 10;

constexpr PhiloxBlock philox_rounds(PhiloxBlock counter, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < kPhiloxRounds; ++round) {
        const std::uint64_t product0 = std::uint64_t{kPhiloxMultiplier0} * counter.word[0];
        const std::uint64_t product1 = std::uint64_t{kPhiloxMultiplier1} * counter.word[2];
        counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0,
                    static_cast<std::uint32_t>(product1),
                    static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1,
                    static_cast<std::uint32_t>(product0)}};
        key0 += kPhiloxKeyStep0;
        key1 += kPhiloxKeyStep1;
    }
    return counter;
}

// --- words to numbers ---

// [0, 1) in steps of 2^-24.
constexpr float unit_from_word(std::uint32_t word) {
    return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * 0x1p-24f;
}

// (0, 1], at least 2^-32: a radius of at most 6.66 standard deviations.
constexpr float radius_argument_from_word(std::uint32_t word) {
    return (static_cast<float>(static_cast<std::int32_t>(word >> 1)) + 0.5f) * 0x1p-31f;
}

// -2 log u, the square of Box–Muller's radius, for u in (0, 1]; relative error below 3e-7.
// u = 2^e · (1 + f) with 1 + f in [√½, √2); log(1 + f) = f - f²/2 + f³ · P(f), P a minimax polynomial. The code below
// computes -2 times that, because powers of two cost no accuracy.
constexpr float minus_two_log(float u) {
    constexpr std::uint32_t kHalfRoot = 0x3f3504f3u;  // √½
    const std::uint32_t above = std::bit_cast<std::uint32_t>(u) - kHalfRoot;
    const auto exponent = static_cast<std::int32_t>(above & 0xff800000u);  // e · 2^23
    const float f = std::bit_cast<float>((above & 0x007fffffu) + kHalfRoot) - 1.0f;
    const float square = f * f;
    float p = -0.1734432131f;
    p = p * f + 0.2875798344f;
    p = p * f + -0.2995598912f;
    p = p * f + 0.3312885464f;
    p = p * f + -0.3990975022f;
    p = p * f + 0.5000339746f;
    p = p * f + -0.6666833162f;
    const float of_mantissa = (square - (f + f)) + square * f * p;
    return static_cast<float>(exponent) * -1.6525917e-7f + of_mantissa;  // -2 log(2) / 2^23
}

struct SineCosine {
    float sine, cosine;
};

// Sine and cosine of 2π · word / 2^32; absolute error below 1.5e-7. The nearest quarter turn is subtracted exactly, in
// integers; polynomials cover the remaining eighth of a turn on either side.
constexpr SineCosine sine_cosine_of_turn(std::uint32_t word) {
    constexpr std::uint32_t kEighth = 0x20000000u;
    constexpr std::uint32_t kQuarter = 0x40000000u;
    constexpr std::uint32_t kSign = 0x80000000u;
    const std::uint32_t turned = word + kEighth;  // the top two bits: the nearest quarter
    const auto rest = static_cast<std::int32_t>(turned & (kQuarter - 1)) - static_cast<std::int32_t>(kEighth);
    const float x = static_cast<float>(rest) * 1.4629180793e-9f;  // 2π / 2^32
    const float square = x * x;
    float s = -0.0001949623402f;
    s = s * square + 0.008331984282f;
    s = s * square + -0.1666665077f;
    const float sine = x + x * square * s;
    float c = 2.443948324e-5f;
    c = c * square + -0.001388737815f;
    c = c * square + 0.04166664556f;
    const float cosine = (1.0f - 0.5f * square) + square * square * c;
    const bool swapped = (turned & kQuarter) != 0;
    const auto sine_bits = std::bit_cast<std::uint32_t>(swapped ? cosine : sine);
    const auto cosine_bits = std::bit_cast<std::uint32_t>(swapped ? sine : cosine);
    return {std::bit_cast<float>(sine_bits ^ (turned & kSign)),
            std::bit_cast<float>(cosine_bits ^ ((turned + kQuarter) & kSign))};
}

// Box–Muller: two words give radius · (cos, sin), where radius = √minus_two_log(radius_argument_from_word(first)) and
// the second word is the angle. A Philox block's four words give four normals: two from words 0 and 1, two from words 2
// and 3. Element i of a tensor takes normal i mod 4 of block i / 4.

}  // namespace headway::devices::kernels
