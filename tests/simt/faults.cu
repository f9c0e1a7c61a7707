// Kernels with one fault each, to test that gpu.h and the sanitizers report it.
#include <cuda_runtime.h>

#include "tests/simt/faults.h"

namespace headway::simt {

namespace {

__global__ void sound(float* out, const float* in, int n) {
    __shared__ float kept[64];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[threadIdx.x] = in[i % n];
    __syncthreads();
    out[i] = kept[63 - threadIdx.x];
}

__global__ void race_in_block(float* out) {
    __shared__ float kept[64];
    kept[threadIdx.x] = 1.0f;
    __syncthreads();
    kept[threadIdx.x] = 2.0f;
    out[threadIdx.x] = kept[(threadIdx.x + 1) % 64];  // no barrier before this line
}

__global__ void race_of_threads(float* out) {
    out[threadIdx.x / 2] = 1.0f;  // by two threads
}

__global__ void race_of_blocks(float* out) {
    if (threadIdx.x == 0) {
        out[0] = out[0] + 1.0f;  // by each block
    }
}

__global__ void race_of_reader_and_block(float* out) {
    if (blockIdx.x == 0) {
        out[64 + threadIdx.x] = out[0];
    } else if (threadIdx.x == 7) {
        out[0] = 1.0f;
    }
}

__global__ void barrier_in_branch(float* out) {
    if (threadIdx.x < 32) {
        __syncthreads();
    }
    out[threadIdx.x] = 1.0f;
}

__global__ void barriers_in_branches(float* out) {
    if (threadIdx.x < 32) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    out[threadIdx.x] = 1.0f;
}

__global__ void barriers_without_end() {
    for (;;) {
        __syncthreads();
    }
}

__global__ void write_after_end(float* out) {
    out[threadIdx.x + 1] = 1.0f;
}

__global__ void read_before_begin(float* out) {
    out[128 + threadIdx.x] = out[static_cast<int>(threadIdx.x) - 1];
}

__global__ void shared_after_end(float* out) {
    __shared__ float kept[64];
    float* const all = kept;
    all[threadIdx.x + 1] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = kept[threadIdx.x];
}

__global__ void shared_not_written(float* out) {
    __shared__ float kept[64];
    if (threadIdx.x != 5) {
        kept[threadIdx.x] = 1.0f;
    }
    __syncthreads();
    out[threadIdx.x] = kept[threadIdx.x];
}

__global__ void local_after_end(float* out, int n) {
    float values[4];
    for (int i = 0; i <= n; ++i) {
        values[i] = 1.0f;
    }
    out[threadIdx.x] = values[n % 4];
}

__global__ void host_memory(float* out, const float* in) {
    out[threadIdx.x] = in[0];
}

__global__ void misaligned(float* out) {
    if (threadIdx.x == 0) {
        *reinterpret_cast<float4*>(out + 1) = make_float4(1.0f, 1.0f, 1.0f, 1.0f);
    }
}

}  // namespace

bool launch_fault(const std::string& name, float* memory, int elements, const float* of_host) {
    if (name == "sound") {
        sound<<<3, 64>>>(memory, of_host, 1);
    } else if (name == "race_in_block") {
        race_in_block<<<1, 64>>>(memory);
    } else if (name == "race_of_threads") {
        race_of_threads<<<1, 64>>>(memory);
    } else if (name == "race_of_blocks") {
        race_of_blocks<<<2, 64>>>(memory);
    } else if (name == "race_of_reader_and_block") {
        race_of_reader_and_block<<<2, 64>>>(memory);
    } else if (name == "barrier_in_branch") {
        barrier_in_branch<<<1, 64>>>(memory);
    } else if (name == "barriers_in_branches") {
        barriers_in_branches<<<1, 64>>>(memory);
    } else if (name == "barriers_without_end") {
        barriers_without_end<<<1, 64>>>();
    } else if (name == "write_after_end") {
        write_after_end<<<1, elements>>>(memory);
    } else if (name == "read_before_begin") {
        read_before_begin<<<1, 64>>>(memory);
    } else if (name == "shared_after_end") {
        shared_after_end<<<1, 64>>>(memory);
    } else if (name == "shared_not_written") {
        shared_not_written<<<1, 64>>>(memory);
    } else if (name == "local_after_end") {
        local_after_end<<<1, 64>>>(memory, elements / 64);
    } else if (name == "host_memory") {
        host_memory<<<1, 64>>>(memory, of_host);
    } else if (name == "misaligned") {
        misaligned<<<1, 64>>>(memory);
    } else {
        return false;
    }
    return true;
}

}  // namespace headway::simt
