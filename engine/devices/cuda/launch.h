// The project's own kernels as the host sees them: one function that starts an op's kernels on a stream. kernels.cu
// implements it; the tests put a fake in its place.
//
// Threads: whoever launches on that stream; nobody else at the same time with the same scratch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "engine/devices/op.h"

namespace headway::devices::cuda {

// Device memory of one lane for the partial results of reductions.
struct Scratch {
    double* data = nullptr;
    std::size_t elements = 0;
};
inline constexpr std::size_t kScratchElements = std::size_t{1} << 16;

// Starts what `command` asks for and returns at once. Every kind has kernels but matmul, host_call and the copies,
// which the device starts itself: asking for one of them here is cudaErrorNotSupported, and so is a kind that nobody
// has written kernels for. noop, and ops without elements, start an empty kernel, so that each op appears on its
// stream.
//
// Values: the same bits as the CPU's kernels give, but for exp, log (the GPU's own, a few units in the last place off)
// and reductions, which add in double in another order; it depends on the sizes alone.
cudaError_t launch_op(const Signature& signature, const Command& command, Scratch scratch, cudaStream_t stream);

// An empty kernel.
cudaError_t launch_nothing(cudaStream_t stream);

}  // namespace headway::devices::cuda
