// Host interface to the project's own kernels: one function that launches an op's kernels on a stream. Implemented in
// kernels.cu; the tests link a fake instead.
//
// Threads: the launching thread of that stream; no concurrent calls with the same scratch.
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

// Launches the kernels of `command` and returns at once. Not for matmul, host_call and the copies, which the device
// starts itself: for these, and for kinds without kernels, it returns cudaErrorNotSupported. noop, and ops without
// elements, launch an empty kernel, so that each op appears on its stream.
//
// Values: the same bits as the CPU's kernels, except functions such as exp (the GPU's own, a few units in the last
// place off) and reductions, which add in double in another order that depends only on the sizes.
cudaError_t launch_op(const Signature& signature, const Command& command, Scratch scratch, cudaStream_t stream);

// Launches an empty kernel.
cudaError_t launch_nothing(cudaStream_t stream);

}  // namespace headway::devices::cuda
