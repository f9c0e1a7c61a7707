// A CUDA made of threads: what the device calls of the runtime, cuBLAS and CUPTI, linked in their place. A stream is a
// thread, an event is real, memory is the host's, kernels are the CPU's. It can be told to fail in the ways that a GPU
// fails. It says nothing about kernels' code, true overlap, or what a driver really does.
//
// Threads: tests call this while the device is at rest, but for the gate and the counters.
#pragma once

#include <cstdint>
#include <string>

namespace headway::fake {

// As new: a driver, one GPU, nothing broken, nothing counted. No device may be alive.
void reset();

// --- what there is ---
void set_driver_status(int status);  // what every call answers; 0: it works
void set_device_count(int count);
void set_capability(int major, int minor);
void set_memory(std::uint64_t bytes);  // of the device
void set_cupti(bool there);
void set_cupti_silent(bool silent);  // takes everything, gives no record

// --- what goes wrong ---
void fail_call(const std::string& name, int nth, int status);  // the nth call from now, of this function, and only it
void fault_at_kernel(int nth);    // the nth kernel from now ends in an illegal address, when it runs
void ignore_waits(bool ignored);  // streams do not wait for each other's events

// --- what goes slowly ---
void hold_stream(int created, bool held);  // the stream that was made as number `created`, from 0, runs nothing more

// --- what happened ---
struct Counts {
    int calls = 0, kernels = 0, stream_waits = 0, waits_on_host = 0, pinned_blocks = 0;
    int captures = 0, graph_updates = 0, graph_launches = 0;
    int streams = 0, events = 0, handles = 0, graphs = 0, graph_execs = 0;  // alive
    std::uint64_t device_bytes = 0, pinned_bytes = 0;                       // alive
    bool tf32 = false;
};
Counts counts();

}  // namespace headway::fake
