// A fake CUDA made of threads: the functions of the runtime, cuBLAS and CUPTI that the device calls, linked in their
// place. A stream is a queue with a thread of its own, and the times of its work are the host's clock; events, graphs,
// page-locked and pageable memory follow the rules of CUDA, and so do several devices: what belongs to one must not be
// used with another; products are computed on the host. Kernels are those of
// engine/devices/cuda/kernels.cu on the GPU of tests/simt/gpu.h, which looks at each access. It can fail in the ways
// that a GPU fails. It does not test the GPU's clocks, true overlap, cuBLAS, or what a real driver does.
//
// Threads: tests call this only while the device is idle, except for hold_stream() and the counters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headway::fake {

// Resets to a driver and one GPU, without faults, counters at 0. No device may exist.
void reset();

// --- the system ---
void set_driver_status(int status);  // the status of every call; 0: success
void set_device_count(int count);
void set_peers(bool can);  // whether devices can access each other's memory
void set_capability(int major, int minor);
void set_memory(std::uint64_t bytes);  // the memory of each device
void set_cupti(bool there);
void set_cupti_silent(bool silent);  // accepts all calls but gives no records
void lose_record(int nth);           // the record of the nth kernel or copy from now is lost

// --- faults ---
void fail_call(const std::string& name, int nth, int status);  // only the nth call of this function from now fails
void fault_at_kernel(int nth);    // the nth kernel from now fails with an illegal address when it runs
void ignore_waits(bool ignored);  // streams do not wait for each other's events
void ignore_wait(int nth);        // only this one, from now

// --- delays ---
void hold_stream(int created, bool held);    // stops the `created`-th stream, counted from 0
void slow_kernel(int nth, std::int64_t ns);  // the nth kernel from now takes at least so long

// --- order (fake_order.h) ---
// An access that CUDA does not order ends the process with one sentence and status 66. A program that races on purpose
// sets HEADWAY_FAKE_CUDA_RACES. A test collects what was found instead; both are kept by reset().
void collect_order_problems();
std::vector<std::string> take_order_problems();

// --- counters ---
struct Counts {
    int calls = 0, kernels = 0, waits_on_host = 0, pinned_blocks = 0;
    int stream_waits = 0, repeated_waits = 0;  // repeated: the stream was already ordered after the event
    int captures = 0, graph_updates = 0, graph_launches = 0, pageable_copies = 0;
    int peer_copies = 0, staged_peer_copies = 0;  // staged: through the host, without peer access
    int streams = 0, events = 0, handles = 0, graphs = 0, graph_execs = 0;  // alive
    std::uint64_t device_bytes = 0, pinned_bytes = 0;                       // alive
    bool tf32 = false;
};
Counts counts();
// How often each function that can be made to fail was called.
std::map<std::string, int> calls();
// Whether this is the device's memory, which the host cannot read on a real GPU.
bool is_device_memory(const void* data);
// Whether the failure that fail_call() asked for has not happened yet.
bool failure_is_due();

}  // namespace headway::fake
