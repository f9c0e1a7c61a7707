// The compiled kernels.cu: which ops it has kernels for. Also runs without a GPU: there each launch fails because there
// is no driver, and a missing kernel fails with a different error.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/devices/cuda/launch.h"

namespace headway::devices::cuda {
namespace {

// The device starts these without launch_op(): products, copies, host functions, and composites step by step. It
// refuses opaque ops.
const std::set<OpKind> kStartedOtherwise{
    OpKind::matmul,       OpKind::copy,      OpKind::copy_to_device, OpKind::copy_to_host, OpKind::slice,
    OpKind::assign_slice, OpKind::host_call, OpKind::graph,          OpKind::opaque,       OpKind::none};

cudaError_t launched(OpKind kind, float* memory) {
    Signature signature;
    signature.kind = kind;
    signature.elements = 1;
    signature.in0 = signature.in1 = signature.out = Shape{1, 1};
    Command command;
    command.signature = &signature;
    command.out = memory;
    command.in0 = memory;
    if (kind != OpKind::normal && kind != OpKind::uniform) {
        command.in1 = memory;
    }
    return launch_op(signature, command, {reinterpret_cast<double*>(memory), 64}, nullptr);
}

TEST(CudaKernels, AnOpWithoutAKernelIsAnErrorAndNotAnEmptyLaunch) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, 4096) != cudaSuccess) {
        memory = nullptr;  // no GPU here
    }
    for (std::size_t i = 0; i < kOpKinds; ++i) {
        const auto kind = static_cast<OpKind>(i);
        const cudaError_t status = launched(kind, static_cast<float*>(memory));
        EXPECT_EQ(status == cudaErrorNotSupported, kStartedOtherwise.contains(kind))
            << name_of(kind) << ": " << cudaGetErrorString(status);
        if (memory != nullptr && !kStartedOtherwise.contains(kind)) {
            EXPECT_EQ(status, cudaSuccess) << name_of(kind);
        }
    }
    EXPECT_EQ(launched(OpKind::count_, static_cast<float*>(memory)), cudaErrorNotSupported);
    if (memory != nullptr) {
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        cudaFree(memory);
    }
}

}  // namespace
}  // namespace headway::devices::cuda
