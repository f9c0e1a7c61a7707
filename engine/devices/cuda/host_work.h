// A host function on its way through a stream, with its own times: CUPTI has no record of those.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

#include "engine/core/clock.h"
#include "engine/devices/cuda/cuda_device.h"

namespace headway::devices::cuda {

struct CudaDevice::HostWork {
    Command command;                   // `out` is on the host
    void* staging = nullptr;           // of a copy from or to a tensor of the CPU's: where the GPU copies from or to
    std::uint64_t begin = 0, end = 0;  // ticks

    // On a thread of the driver, which may not call CUDA.
    static void CUDART_CB run(void* data) {
        auto& work = *static_cast<HostWork*>(data);
        work.begin = core::ticks();
        work.command.function(work.command, const_cast<float*>(work.command.in0));
        work.end = core::ticks();
    }

    // The first half of a copy from the CPU, and the second one of a copy to it. Their times are the GPU's copy's.
    static void CUDART_CB put_in(void* data) {
        const auto& work = *static_cast<HostWork*>(data);
        std::memcpy(work.staging, work.command.in0, work.command.signature->out_bytes);
    }
    static void CUDART_CB take_out(void* data) {
        const auto& work = *static_cast<HostWork*>(data);
        const devices::Signature& s = *work.command.signature;  // values for the program have no out_bytes
        std::memcpy(work.command.out, work.staging, static_cast<std::size_t>(s.elements) * sizeof(float));
    }
};

}  // namespace headway::devices::cuda
