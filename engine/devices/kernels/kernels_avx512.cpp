// The vector kernels for x86 processors with AVX-512 (F and DQ).
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

// g++ 12 warns about the deliberately undefined operand inside its own intrinsics (GCC bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define HEADWAY_SET avx512
#define HEADWAY_TARGET __attribute__((target("avx512f,avx512dq")))
#define HEADWAY_WIDE 1

namespace headway::devices::kernels::avx512 {
namespace {

// Lanes of 64 bits.
struct Wide {
    using Type = __m512i;
    static constexpr std::uint32_t kLanes = 8;
    HEADWAY_TARGET static Type all(std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }
    HEADWAY_TARGET static Type even_numbers() { return _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0); }
    HEADWAY_TARGET static Type add(Type a, Type b) { return _mm512_add_epi64(a, b); }
    HEADWAY_TARGET static Type multiply(Type a, Type b) { return _mm512_mul_epu32(a, b); }  // multiplies the low halves
    HEADWAY_TARGET static Type high(Type a) { return _mm512_srli_epi64(a, 32); }
    HEADWAY_TARGET static Type exclusive_or(Type a, Type b, Type c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
    // Stores the low halves of both, interleaved.
    HEADWAY_TARGET static void store_pair(std::uint32_t* to, Type even, Type odd) {
        _mm512_store_si512(to, _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32)));
    }
};

}  // namespace
}  // namespace headway::devices::kernels::avx512

#include "engine/devices/kernels/vector_kernels.inc"
#endif
