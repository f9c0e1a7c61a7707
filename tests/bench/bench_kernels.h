// The kernels for peers that have none of their own, so that the table compares only the queueing.
#pragma once

#include <cblas.h>

#include <cstdint>
#include <cstdlib>

#include "engine/devices/kernels/kernels.h"

namespace headway::bench {

inline constexpr int kSide = 1000;
inline constexpr std::size_t kSquare = std::size_t{kSide} * kSide;

inline float* new_floats(std::size_t n) {
    return static_cast<float*>(std::malloc(n * sizeof(float)));
}

// y = x + 1 on two floats.
inline void add_one(const float* x, float* y) {
    y[0] = x[0] + 1.0f;
    y[1] = x[1] + 1.0f;
}

inline void nothing() {
    asm volatile("" ::: "memory");
}

inline void fill_random(float* p, long stream) {
    devices::kernels::fill_normal(p, kSquare, 0, static_cast<std::uint64_t>(stream), 0.0f, 1.0f);
}

inline void multiply(const float* p, float* q) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSide, kSide, kSide, 1.0f, p, kSide, p, kSide, 0.0f, q,
                kSide);
}

}  // namespace headway::bench
