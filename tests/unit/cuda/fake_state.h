// The state of the fake CUDA and its streams; for the files that implement it.
//
// Threads: any, with `mutex` locked. One lock for everything: a fake need not be fast.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/devices/cuda/cupti.h"
#include "tests/unit/cuda/fake_cuda.h"
#include "tests/unit/cuda/fake_order.h"

namespace headway::fake {

// What a stream runs for one launch.
struct Work {
    std::string name;
    std::function<void()> run;
    std::vector<Access> accesses;
};

}  // namespace headway::fake

// A program may have the fake twice: linked, and in a module. Each has its own state.
#pragma GCC visibility push(hidden)

struct cublasContext {
    cudaStream_t stream = nullptr;
    int device = 0;
};

// Lives as long as a stream still has to record it or to wait for it, as on a GPU.
struct CUevent_st : std::enable_shared_from_this<CUevent_st> {
    int device = 0;
    std::uint64_t recorded = 0, done = 0;
    std::int64_t at_ns = 0;
    headway::fake::Clock order;  // what is done when it is
};

struct CUgraph_st {
    std::vector<headway::fake::Work> nodes;
};
struct CUgraphExec_st {
    std::vector<headway::fake::Work> nodes;
};
struct CUstream_st {
    int number, device;
    std::deque<std::function<void()>> queue;
    bool busy = false, stop = false;
    cudaGraph_t capture = nullptr;
    std::thread thread;

    CUstream_st(int n, int on) : number(n), device(on), thread([this] { run(); }) {}
    void run();
    [[nodiscard]] bool idle() const { return queue.empty() && !busy; }
};

namespace headway::fake {

struct DeviceBlock {
    std::size_t bytes = 0;
    int device = 0;
};

struct State {
    int driver_status = 0, device_count = 1, major = 9, minor = 0;
    std::uint64_t memory = std::uint64_t{8} << 30;  // of each device
    std::map<int, std::uint64_t> used;              // by device
    bool peers = true;                              // devices can access each other's memory
    std::set<std::pair<int, int>> peer_access;      // enabled: the first may access the second
    bool cupti = true, cupti_silent = false, ignore_waits = false;
    int sticky = 0, fault_in = 0, streams_made = 0, ignore_wait_in = 0, slow_in = 0, lose_in = 0;
    std::int64_t slow_ns = 0;
    std::map<std::string, std::pair<int, int>> fail;
    std::map<std::string, int> calls;
    std::set<int> held;
    std::map<void*, DeviceBlock> device_blocks;
    std::map<void*, std::size_t> pinned_blocks;
    std::set<cudaStream_t> streams;
    std::map<cudaEvent_t, std::shared_ptr<CUevent_st>> events;
    std::set<cublasHandle_t> handles;
    std::set<cudaGraph_t> graphs;
    std::set<cudaGraphExec_t> graph_execs;
    Counts counts;
    OrderCheck order;
};

struct CuptiState {
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    CUpti_TimestampCallbackFunc now = nullptr;
    std::set<int> enabled;
    std::uint32_t correlation = 0;
    std::deque<std::pair<CUpti_ActivityExternalCorrelation, CUpti_ActivityKernel9>> records;
    std::deque<CUpti_ActivitySynchronization> waits;
    std::deque<CUpti_ActivityMemory3> memory;
};

// Never destroyed: the stream threads of a lost device live until the process ends, like the work of a lost GPU.
extern std::mutex& mutex;
extern std::condition_variable& changed;
extern State& state;
extern CuptiState& cupti;
extern constinit thread_local int last_error;
extern constinit thread_local int current_device;
extern constinit thread_local int capturing;  // number of streams that this thread captures
extern thread_local std::vector<std::uint64_t> external_ids;
extern thread_local std::vector<Access> next_accesses;  // of the kernels that are launched next

// Called at the start of each CUDA call: counts it, and fails it if a test asked for that.
int enter(const std::string& name);
void push(cudaStream_t stream, std::function<void()> work);
// The device that has this memory; -1 for the host's.
int device_of(const void* data);
// Puts work on a stream that counts as a kernel: it may fault, and CUPTI records it.
void push_kernel(cudaStream_t stream, Work work, std::uint32_t correlation = 0);
// Waits until no stream has work, or the device is lost. The host then knows that all is done.
void wait_for_device(std::unique_lock<std::mutex>& lock);

}  // namespace headway::fake

#pragma GCC visibility pop

// The first line of a function of the runtime: locks, counts, and returns where a test wants a failure.
#define ENTER(name)                               \
    const std::lock_guard lock(mutex);            \
    if (const int status_ = enter(name)) {        \
        return static_cast<cudaError_t>(status_); \
    }
