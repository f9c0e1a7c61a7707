// The vector kernels for x86 processors with AVX2.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

#define HEADWAY_SET avx2
#define HEADWAY_TARGET __attribute__((target("avx2")))
#define HEADWAY_WIDE 1

namespace headway::devices::kernels::avx2 {
namespace {

// Lanes of 64 bits.
struct Wide {
    using Type = __m256i;
    static constexpr std::uint32_t kLanes = 4;
    HEADWAY_TARGET static Type all(std::uint64_t value) { return _mm256_set1_epi64x(static_cast<long long>(value)); }
    HEADWAY_TARGET static Type even_numbers() { return _mm256_set_epi64x(6, 4, 2, 0); }
    HEADWAY_TARGET static Type add(Type a, Type b) { return _mm256_add_epi64(a, b); }
    HEADWAY_TARGET static Type multiply(Type a, Type b) { return _mm256_mul_epu32(a, b); }  // multiplies the low halves
    HEADWAY_TARGET static Type high(Type a) { return _mm256_srli_epi64(a, 32); }
    HEADWAY_TARGET static Type exclusive_or(Type a, Type b, Type c) {
        return _mm256_xor_si256(a, _mm256_xor_si256(b, c));
    }
    // Stores the low halves of both, interleaved.
    HEADWAY_TARGET static void store_pair(std::uint32_t* to, Type even, Type odd) {
        _mm256_store_si256(reinterpret_cast<Type*>(to), _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa));
    }
};

}  // namespace
}  // namespace headway::devices::kernels::avx2

#include "engine/devices/kernels/vector_kernels.inc"
#endif
