// Tables of the kernels that are compiled once per instruction set. Internal to this folder.
#pragma once

#include <array>
#include <cstdint>

#include "engine/devices/kernels/kernels.h"

namespace headway::devices::kernels {

struct KernelSet {
    using Fill = void (*)(float* out, std::int64_t n, std::uint64_t seed, std::uint64_t stream, float a, float b);
    std::array<Kernel, kOpKinds> kernel{};
    Fill normal = nullptr;
    Fill uniform = nullptr;
};

namespace baseline {
extern const KernelSet kSet;
}
namespace avx2 {
extern const KernelSet kSet;
}
namespace avx512 {
extern const KernelSet kSet;
}

// Compiled once for all instruction sets (plain_kernels.cpp).
void matmul(const Signature& s, const Command& c);
void copy(const Signature& s, const Command& c);
void slice(const Signature& s, const Command& c);
void assign_slice(const Signature& s, const Command& c);
void noop(const Signature& s, const Command& c);
void host_call(const Signature& s, const Command& c);

}  // namespace headway::devices::kernels
