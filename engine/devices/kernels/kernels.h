// Reference kernels on host memory: what an op computes, for the CPU device and for the simulated one.
//
// Operands: `out`, `in0` and `in1` are contiguous row-major. Where an op is in place, out is in0; otherwise out
// overlaps no input. Elementwise ops run one flat loop over Signature::elements when `contiguous`; if not, axis i of
// Signature::out (i from 0 to its rank) walks the operands by stride0.step[i] and stride1.step[i] elements, and
// transpose walks in0 by stride0 likewise.
//
// Values: every kernel but matmul, exp and log gives the same bits on every machine, whatever its instruction set:
// single IEEE operations, never fused, in an order that depends on the sizes alone. Reductions add in double: along a
// contiguous axis as 16 interleaved partial sums, halved as a tree (0+8, 1+9 …; then 0+4 …); along another axis row by
// row. matmul's order is OpenBLAS's for the processor; exp and log are the C library's.
//
// Threads: any; a kernel touches only its operands. None fails, none allocates more than scratch of its own thread.
#pragma once

#include <cstdint>

#include "engine/devices/kernels/normal_math.h"
#include "engine/devices/op.h"

namespace headway::devices::kernels {

using Kernel = void (*)(const Signature& signature, const Command& command);

// The kernel for each kind; host_call and noop included, never null for a kind that can be issued.
Kernel kernel_for(OpKind kind);

// Runs one command's op.
inline void run(const Command& command) {
    kernel_for(command.signature->kind)(*command.signature, command);
}

// One block of Philox4x32-10. Counter words: element block, random stream; key words: the seed (Signature::seed).
// Values depend on these alone, so they are the same whatever the order of execution, the number of lanes and the
// device.
PhiloxBlock philox(std::uint64_t seed, std::uint64_t block, std::uint64_t stream);

// out[i] = mean + deviation * z_i, z_i standard normal by Box–Muller over Philox words; bit-identical on every machine.
void fill_normal(float* out, std::int64_t n, std::uint64_t seed, std::uint64_t stream, float mean, float deviation);
// out[i] = low + (high - low) * u_i, u_i in [0, 1) with 24 bits; below high also after rounding.
void fill_uniform(float* out, std::int64_t n, std::uint64_t seed, std::uint64_t stream, float low, float high);

// One thread per calling worker in the BLAS library. Call once before any lane starts.
void use_one_blas_thread();

// Which instructions the kernels use: the widest that the processor has, chosen when the program starts.
enum class Instructions { baseline, avx2, avx512 };
[[nodiscard]] bool has_instructions(Instructions instructions);
// For tests, before any lane starts: kernel_for() answers with these from here on. They must be there.
void use_instructions(Instructions instructions);

}  // namespace headway::devices::kernels
