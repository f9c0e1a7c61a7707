// The vector kernels for any processor of the architecture: SSE2 on x86-64.
#define HEADWAY_SET baseline
#define HEADWAY_TARGET

#if defined(__x86_64__)
#include <emmintrin.h>

#include <cstdint>

#define HEADWAY_WIDE 1

namespace headway::devices::kernels::baseline {
namespace {

// Lanes of 64 bits.
struct Wide {
    using Type = __m128i;
    static constexpr std::uint32_t kLanes = 2;
    static Type all(std::uint64_t value) { return _mm_set1_epi64x(static_cast<long long>(value)); }
    static Type even_numbers() { return _mm_set_epi64x(2, 0); }
    static Type add(Type a, Type b) { return _mm_add_epi64(a, b); }
    static Type multiply(Type a, Type b) { return _mm_mul_epu32(a, b); }  // multiplies the low halves
    static Type high(Type a) { return _mm_srli_epi64(a, 32); }
    static Type exclusive_or(Type a, Type b, Type c) { return _mm_xor_si128(a, _mm_xor_si128(b, c)); }
    // Stores the low halves of both, interleaved.
    static void store_pair(std::uint32_t* to, Type even, Type odd) {
        const Type low = _mm_and_si128(even, all(0xffffffffu));
        _mm_store_si128(reinterpret_cast<Type*>(to), _mm_or_si128(low, _mm_slli_epi64(odd, 32)));
    }
};

}  // namespace
}  // namespace headway::devices::kernels::baseline
#endif

#include "engine/devices/kernels/vector_kernels.inc"
