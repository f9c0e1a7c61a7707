// Kernels that gain nothing from wider instruction sets, and the choice of the instruction set.
#include <cblas.h>

#include <cstring>

#include "engine/core/assert.h"
#include "engine/devices/kernels/kernel_set.h"

namespace headway::devices::kernels {

namespace {

void copy_elements(float* out, const float* in, std::int64_t n) {
    if (n > 0 && out != in) {
        std::memcpy(out, in, static_cast<std::size_t>(n) * sizeof(float));
    }
}

const KernelSet* set_for(Instructions instructions) {
    switch (instructions) {
#if defined(__x86_64__)
        case Instructions::avx512:
            return &avx512::kSet;
        case Instructions::avx2:
            return &avx2::kSet;
#endif
        default:
            return &baseline::kSet;
    }
}

const KernelSet* widest_set() {
    for (const auto instructions : {Instructions::avx512, Instructions::avx2}) {
        if (has_instructions(instructions)) {
            return set_for(instructions);
        }
    }
    return &baseline::kSet;
}

// Valid before this file's dynamic initialisation, in case a constructor elsewhere needs kernels.
constinit const KernelSet* chosen_set = &baseline::kSet;
[[maybe_unused]] const bool kChosen = (chosen_set = widest_set(), true);

}  // namespace

void copy(const Signature& s, const Command& c) {
    copy_elements(c.out, c.in0, s.elements);
}
void slice(const Signature& s, const Command& c) {
    copy_elements(c.out, c.in0 + c.offset, s.elements);
}
void assign_slice(const Signature& s, const Command& c) {
    copy_elements(c.out + c.offset, c.in1, s.in1.elements());
}
void noop(const Signature&, const Command&) {}
void host_call(const Signature&, const Command& c) {
    c.function(c, const_cast<float*>(c.in0));
}

void matmul(const Signature& s, const Command& c) {
    if (s.m == 0 || s.n == 0) {
        return;
    }
    if (s.k == 0) {
        std::memset(c.out, 0, static_cast<std::size_t>(s.m * s.n) * sizeof(float));
        return;
    }
    const auto m = static_cast<blasint>(s.m);
    const auto n = static_cast<blasint>(s.n);
    const auto k = static_cast<blasint>(s.k);
    cblas_sgemm(CblasRowMajor, s.transpose_a ? CblasTrans : CblasNoTrans, s.transpose_b ? CblasTrans : CblasNoTrans, m,
                n, k, 1.0f, c.in0, s.transpose_a ? m : k, c.in1, s.transpose_b ? k : n, 0.0f, c.out, n);
}

Kernel kernel_for(OpKind kind) {
    return chosen_set->kernel[static_cast<std::size_t>(kind)];
}

PhiloxBlock philox(std::uint64_t seed, std::uint64_t block, std::uint64_t stream) {
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
    return philox_rounds({{low(block), high(block), low(stream), high(stream)}}, low(seed), high(seed));
}

void fill_normal(float* out, std::int64_t n, std::uint64_t seed, std::uint64_t stream, float mean, float deviation) {
    chosen_set->normal(out, n, seed, stream, mean, deviation);
}

void fill_uniform(float* out, std::int64_t n, std::uint64_t seed, std::uint64_t stream, float low, float high) {
    chosen_set->uniform(out, n, seed, stream, low, high);
}

void use_one_blas_thread() {
    openblas_set_num_threads(1);
}

bool has_instructions(Instructions instructions) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    switch (instructions) {
        case Instructions::avx512:
            return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
        case Instructions::avx2:
            return __builtin_cpu_supports("avx2") != 0;
        default:
            return true;
    }
#else
    return instructions == Instructions::baseline;
#endif
}

void use_instructions(Instructions instructions) {
    HEADWAY_ASSERT(has_instructions(instructions), "the processor has these instructions");
    chosen_set = set_for(instructions);
}

}  // namespace headway::devices::kernels
