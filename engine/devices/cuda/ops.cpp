// Putting an op on its lane's stream: kernels, products, copies, host functions.
#include <cstring>
#include <memory>

#include "engine/devices/cuda/cuda_device.h"
#include "engine/devices/cuda/host_work.h"
#include "engine/devices/cuda/nvtx_ranges.h"

namespace headway::devices::cuda {

void CudaDevice::start_op(Lane& lane, const Command& command, InFlight& flight) {
    const Signature& s = *command.signature;
    const NvtxRanges::Range range(*nvtx_ranges_, command);
    if (s.kind == OpKind::host_call) {
        start_host_call(lane, command, flight);  // measures its own times
        return;
    }
    const Correlation correlation(cupti_, command.op);
    record_begin(lane, flight);
    if (s.kind == OpKind::copy_to_device && command.offset >= kFromDevice) {
        start_copy_from_gpu(lane, command);
    } else if (s.kind == OpKind::copy_to_device) {
        start_copy_in(lane, command, flight);
    } else if (s.kind == OpKind::copy_to_host && (command.flags & kOutOnCpu) != 0) {
        start_copy_out(lane, command, flight);
    } else {
        start_kernels(lane, command);
    }
}

// Only if times come from events. Recorded after the waits; otherwise waiting would count as execution.
void CudaDevice::record_begin(Lane& lane, InFlight& flight) {
    if (cupti_ == nullptr && options_.record) {
        flight.anchor = newest_anchor_.load(std::memory_order_acquire);
        flight.begin = events_->take();
        check(cudaEventRecord(flight.begin, lane.stream.get()), "cudaEventRecord");
    }
}

// The kernels of an op that neither runs on the host nor reads from it. Only launches, so that they can be captured.
void CudaDevice::start_kernels(Lane& lane, const Command& command) {
    const Signature& s = *command.signature;
    const auto copy = [&](float* to, const float* from, std::int64_t elements) {
        if (elements == 0 || to == from) {
            check(launch_nothing(lane.stream.get()), "launching a kernel");
            return;
        }
        check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(elements) * sizeof(float), cudaMemcpyDefault,
                              lane.stream.get()),
              "cudaMemcpyAsync");
    };
    switch (s.kind) {
        case OpKind::matmul:
            start_product(lane, command);
            break;
        case OpKind::copy:
        case OpKind::copy_to_host:
            copy(command.out, command.in0, s.elements);
            break;
        case OpKind::slice:
            copy(command.out, command.in0 + command.offset, s.elements);
            break;
        case OpKind::assign_slice:
            copy(command.out + command.offset, command.in1, s.in1.elements());
            break;
        default:
            check(
                launch_op(s, command, {static_cast<double*>(lane.scratch.get()), kScratchElements}, lane.stream.get()),
                "launching a kernel");
    }
}

// cuBLAS is column-major, so compute the transposed product: out' = in1' · in0'.
void CudaDevice::start_product(Lane& lane, const Command& command) {
    const Signature& s = *command.signature;
    if (s.elements == 0) {
        check(launch_nothing(lane.stream.get()), "launching a kernel");
        return;
    }
    if (s.k == 0) {
        check(cudaMemsetAsync(command.out, 0, s.out_bytes, lane.stream.get()), "cudaMemsetAsync");
        return;
    }
    const auto m = static_cast<int>(s.m);
    const auto n = static_cast<int>(s.n);
    const auto k = static_cast<int>(s.k);
    const float one = 1.0f;
    const float zero = 0.0f;
    check(cublasSgemm(lane.blas.get(), s.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                      s.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k, &one, command.in1, s.transpose_b ? k : n,
                      command.in0, s.transpose_a ? m : k, &zero, command.out, n),
          "cublasSgemm");
}

void CudaDevice::start_copy_from_gpu(Lane& lane, const Command& command) {
    const std::size_t bytes = command.signature->out_bytes;
    if (bytes == 0) {
        check(launch_nothing(lane.stream.get()), "launching a kernel");
        return;
    }
    const CudaDevice* from = gpu_peer(static_cast<core::DeviceId>(command.offset - kFromDevice));
    HEADWAY_ASSERT(from != nullptr, "a copy is from another GPU of the run");
    check(
        cudaMemcpyPeerAsync(command.out, options_.device, command.in0, from->options_.device, bytes, lane.stream.get()),
        "cudaMemcpyPeerAsync");
}

void CudaDevice::start_copy_in(Lane& lane, const Command& command, InFlight& flight) {
    const std::size_t bytes = command.signature->out_bytes;
    if (bytes == 0) {
        check(launch_nothing(lane.stream.get()), "launching a kernel");
        return;
    }
    const void* from = command.in0;
    if (options_.pinned) {
        flight.staging = pinned_.take(bytes);
        from = flight.staging.data;
        if (command.in0_id == 0) {
            std::memcpy(flight.staging.data, command.in0, bytes);
        } else {
            // A tensor of the CPU: it may be the target of a copy still in progress from this stream or another.
            flight.host = std::make_unique<HostWork>();
            flight.host->command = command;
            flight.host->staging = flight.staging.data;
            check(cudaLaunchHostFunc(lane.stream.get(), HostWork::put_in, flight.host.get()), "cudaLaunchHostFunc");
        }
    }
    // From pageable memory this returns only after the driver has copied the values: an "async" copy that blocks.
    check(cudaMemcpyAsync(command.out, from, bytes, cudaMemcpyHostToDevice, lane.stream.get()), "cudaMemcpyAsync");
}

// A copy to pageable memory would block the launching thread until the stream reaches it, so the GPU copies to
// page-locked memory and a host function copies the values from there. With `pinned` off it does block.
void CudaDevice::start_copy_out(Lane& lane, const Command& command, InFlight& flight) {
    const auto bytes = static_cast<std::size_t>(command.signature->elements) * sizeof(float);
    if (bytes == 0) {
        check(launch_nothing(lane.stream.get()), "launching a kernel");
        return;
    }
    void* to = command.out;
    if (options_.pinned) {
        flight.staging = pinned_.take(bytes);
        to = flight.staging.data;
    }
    check(cudaMemcpyAsync(to, command.in0, bytes, cudaMemcpyDeviceToHost, lane.stream.get()), "cudaMemcpyAsync");
    if (options_.pinned) {
        flight.host = std::make_unique<HostWork>();
        flight.host->command = command;
        flight.host->staging = flight.staging.data;
        check(cudaLaunchHostFunc(lane.stream.get(), HostWork::take_out, flight.host.get()), "cudaLaunchHostFunc");
    }
}

// The function gets copies of its input and output on the host.
void CudaDevice::start_host_call(Lane& lane, const Command& command, InFlight& flight) {
    const std::size_t bytes = command.signature->out_bytes;
    const std::size_t read_bytes =
        static_cast<std::size_t>(command.in1_id != 0 ? command.signature->in1.elements() : 0) * sizeof(float);
    flight.host = std::make_unique<HostWork>();
    Command& call = flight.host->command;
    call = command;
    if (bytes + read_bytes != 0) {
        flight.staging = pinned_.take(bytes + read_bytes);
        call.out = static_cast<float*>(flight.staging.data);
        std::memset(call.out, 0, bytes);
    }
    if (read_bytes != 0) {
        float* input = call.out + bytes / sizeof(float);
        check(cudaMemcpyAsync(input, command.in1, read_bytes, cudaMemcpyDeviceToHost, lane.stream.get()),
              "cudaMemcpyAsync");
        call.in1 = input;
    }
    check(cudaLaunchHostFunc(lane.stream.get(), HostWork::run, flight.host.get()), "cudaLaunchHostFunc");
    if (bytes != 0) {
        check(cudaMemcpyAsync(command.out, flight.staging.data, bytes, cudaMemcpyHostToDevice, lane.stream.get()),
              "cudaMemcpyAsync");
    }
}

}  // namespace headway::devices::cuda
