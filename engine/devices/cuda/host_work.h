// A host function on a stream, with its own times, because CUPTI does not record host functions.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

#include "engine/core/clock.h"
#include "engine/devices/cuda/cuda_device.h"

namespace headway::devices::cuda {

struct CudaDevice::HostWork {
    Command command;                   // `out` is on the host
    void* staging = nullptr;           // copy from or to a CPU tensor: the page-locked memory
    std::uint64_t begin = 0, end = 0;  // ticks

    // Called on a driver thread, which must not call CUDA.
    static void CUDART_CB run(void* data) {
        auto& work = *static_cast<HostWork*>(data);
        work.begin = core::ticks();
        work.command.function(work.command, const_cast<float*>(work.command.in0));
        work.end = core::ticks();
    }

    // The first half of a copy from the CPU, and the second half of a copy to it. The op's times are those of the GPU's
    // copy.
    static void CUDART_CB put_in(void* data) {
        const auto& work = *static_cast<HostWork*>(data);
        std::memcpy(work.staging, work.command.in0, work.command.signature->out_bytes);
    }
    static void CUDART_CB take_out(void* data) {
        const auto& work = *static_cast<HostWork*>(data);
        const devices::Signature& s = *work.command.signature;  // not out_bytes, which is 0 for copies to the program
        std::memcpy(work.command.out, work.staging, static_cast<std::size_t>(s.elements) * sizeof(float));
    }
};

}  // namespace headway::devices::cuda
