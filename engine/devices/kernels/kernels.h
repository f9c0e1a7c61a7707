// Reference kernels on host memory, for the CPU device and the simulated device.
//
// Operands: `out`, `in0` and `in1` are contiguous and row-major. For in-place ops out equals in0; otherwise out
// overlaps no input. Elementwise ops run one flat loop over Signature::elements if `contiguous`; otherwise axis i of
// Signature::out (i from 0 to its rank) steps through the operands by stride0.step[i] and stride1.step[i] elements.
// transpose steps through in0 by stride0 in the same way.
//
// Values: every kernel except matmul and those that call the C library, as exp does, gives the same bits on every
// computer, whatever its instruction set: single IEEE operations, never fused, in an order that depends only on the
// sizes. Reductions add in double: along a contiguous axis as 16 interleaved partial sums, halved as a tree (0+8, 1+9
// …; then 0+4 …); along another axis row by row. matmul's order is OpenBLAS's for the processor.
//
// Threads: any; a kernel accesses only its operands and scratch memory of its own thread. Kernels cannot fail.
#pragma once

#include <cstdint>

#include "engine/devices/kernels/normal_math.h"
#include "engine/devices/op.h"

namespace headway::devices::kernels {

using Kernel = void (*)(const Signature& signature, const Command& command);

// The kernel for each kind; never null for a kind that can be issued, including host_call and noop.
Kernel kernel_for(OpKind kind);

// Runs one command's op.
inline void run(const Command& command) {
    kernel_for(command.signature->kind)(*command.signature, command);
}

// One block of Philox4x32-10. Counter words: element block, random stream; key words: the seed (Signature::seed).
// Values depend only on these, so they do not depend on the order of execution, the number of lanes or the device.
PhiloxBlock philox(std::uint64_t seed, std::uint64_t block, std::uint64_t stream);

// out[i] = mean + deviation * z_i, z_i standard normal by Box–Muller over Philox words; bit-identical on every
// computer.
void fill_normal(float* out, std::int64_t n, std::uint64_t seed, std::uint64_t stream, float mean, float deviation);
// out[i] = low + (high - low) * u_i, u_i in [0, 1) with 24 bits; less than high even after rounding.
void fill_uniform(float* out, std::int64_t n, std::uint64_t seed, std::uint64_t stream, float low, float high);

// Makes the BLAS library use one thread per calling worker. Call once before any lane starts.
void use_one_blas_thread();

// Instruction sets of the kernels; the widest that the processor supports is chosen when the program starts.
enum class Instructions { baseline, avx2, avx512 };
[[nodiscard]] bool has_instructions(Instructions instructions);
// For tests, before any lane starts: kernel_for() then returns kernels of this set. The processor must support it.
void use_instructions(Instructions instructions);

}  // namespace headway::devices::kernels
