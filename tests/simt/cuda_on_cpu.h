// Takes the place of <cuda_runtime.h> in kernels that translate.py has made compilable by the C++ compiler. See gpu.h
// for what this GPU knows.
#pragma once

#include <cuda_runtime_api.h>
#include <vector_functions.h>

#include <cmath>

#include "tests/simt/gpu.h"

#undef __global__
#undef __device__
#undef __host__
#define __global__
#define __device__
#define __host__

#define threadIdx (::headway::simt::thread_index())
#define blockIdx (::headway::simt::block_index())
#define blockDim (::headway::simt::block_size())
#define gridDim (::headway::simt::grid_size())
#define __syncthreads() (::headway::simt::barrier(__LINE__))

namespace headway::simt {

// What translate.py --mutants makes of `a < b` and `a > b`; kernels compare unsigned with signed literals.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
template <int kNumber, class A, class B>
bool less(A a, B b) {
    return mutated(kNumber) ? a <= b : a < b;
}
template <int kNumber, class A, class B>
bool greater(A a, B b) {
    return mutated(kNumber) ? a >= b : a > b;
}
#pragma GCC diagnostic pop

}  // namespace headway::simt
