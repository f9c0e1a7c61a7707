// An NVIDIA GPU as a device: a lane is a CUDA stream. Included only within this folder; programs use cuda_loader.h.
//
// An op passes through four threads. The frontend submits it. The launching thread ("cuda-launch", or the frontend
// itself) puts it on its stream, after a wait for the event of the op that it needs in another lane, and records its
// own event after it. The completion thread polls these events, oldest first, and updates the counters. The times
// thread fetches the GPU's times from CUPTI and records them; if CUPTI is not available, the completion thread reads
// the times from events.
//
// Why events are polled: an op needs its event anyway, for waits across streams. Polling adds no work to the GPU,
// whereas a host function after each op stalls its stream, and a written counter is a second stream command per op. The
// thread sleeps 50 µs between polls unless the frontend waits, and skips ahead in doubling steps, so a long queue costs
// few polls.
//
// Failures: a CUDA call that fails spoils that op's output (Poison). A fault on the GPU makes every later call fail:
// the device is lost, all buffers are spoiled, CUDA is not called again, and only another process can use the GPU.
//
// A run may have several GPUs (DeviceSlot), each a CudaDevice with its own threads. A stream waits for a command of
// another GPU by that command's event, once it has been launched there; until then the waiting command is deferred
// (see below). Copies between GPUs run on a stream of the GPU that they write to. CUPTI and the driver's records are
// shared.
//
// The run may also have a CPU device. Whether an op that needs a CPU lane may start is known from that lane's
// counter. Until then the op, and everything that follows it in its stream or waits for it in another stream, is
// deferred, and other commands are launched before it. No stream and no driver thread ever blocks on a counter, so no
// wait can block the work that it waits for. If the frontend launches, the thread "cuda-launch" launches what it had to
// leave: deferred commands, and those of held lanes. Copies from and to CPU tensors use page-locked memory: a host
// function before the copy fills it, or one after the copy empties it.
//
// host_call runs in stream order on a thread of the driver (cudaLaunchHostFunc), which may serialize those of different
// streams; its output is computed on the host and then copied to the device. hold() stops launches; work that is
// already on a stream continues.
//
// Threads: the frontend calls the Device interface.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/core/clock.h"
#include "engine/core/tick_map.h"
#include "engine/devices/command_queue.h"
#include "engine/devices/cuda/api.h"
#include "engine/devices/cuda/cupti.h"
#include "engine/devices/cuda/launch.h"
#include "engine/devices/cuda_loader.h"
#include "engine/devices/device.h"

namespace headway::devices::cuda {

// The GPU's name if it can be used, otherwise the reason as a sentence without a full stop.
core::Result<std::string> find_gpu(int device);

// Names each launch for Nsight Systems, if a tool is attached.
class NvtxRanges;

inline constexpr std::int64_t kSleepNs = 10'000'000;    // the longest sleep before the queue is checked again
inline constexpr std::int64_t kHeldPollNs = 1'000'000;  // between checks while the lanes are held
inline constexpr std::int64_t kDeferredNapNs = 20'000;  // between checks of deferred commands

class CudaDevice final : public Device {
public:
    // Throws CudaError. `name` comes from find_gpu(). If times come from events, `cupti` is null and `timing_note`
    // gives the reason.
    CudaDevice(const CudaOptions& options, std::string name, Cupti* cupti, std::string timing_note,
               trace::Recording& recording);
    ~CudaDevice() override;  // completes all queued commands first

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    [[nodiscard]] std::uint32_t lanes() const override { return static_cast<std::uint32_t>(lanes_.size()); }
    void publish(std::uint32_t lane) override;
    [[nodiscard]] const std::atomic<std::uint32_t>& completed(std::uint32_t lane) const override;
    void wait(std::uint32_t lane, std::uint32_t seq) override;
    void wait_from_peer(std::uint32_t lane, std::uint32_t seq) override;
    void meet(Device& other) override;
    [[nodiscard]] void* allocate(std::size_t bytes) override;
    void deallocate(void* data, std::size_t bytes) override;
    void read(float* host, const float* device, std::size_t elements) override;
    [[nodiscard]] float* lazy_data(core::BufferId buffer) override;
    [[nodiscard]] float* take_lazily_for(const Command& command) override;
    [[nodiscard]] std::uint64_t lazy_bytes() const override { return lazy_bytes_.load(std::memory_order_relaxed); }
    void set_lazy_budget(std::uint64_t bytes) override { lazy_budget_.store(bytes, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t reserved_bytes() const override { return reserved_.load(std::memory_order_relaxed); }
    void settle() override;
    void hold(bool held) override;
    void slow_down(float factor) override { slow_factor_.store(factor, std::memory_order_relaxed); }
    void abandon() override { abandoned_.store(true, std::memory_order_relaxed); }

private:
    struct HostWork;
    // The signature id of each kernel and copy of a graph, in the order of execution.
    using Nodes = std::shared_ptr<const std::vector<std::uint16_t>>;
    // A command that is on its stream or was skipped, in the lane's order.
    struct InFlight {
        cudaEvent_t begin = nullptr;  // only if times come from events
        cudaEvent_t end = nullptr;    // null: nothing was launched
        core::OpId op = 0;            // 0: nothing to record
        bool failed = false;
        std::uint64_t launch_begin = 0;  // ticks
        std::uint32_t anchor = 0;
        std::unique_ptr<HostWork> host;
        PinnedPool::Block staging{};
        Nodes nodes;  // of a composite op; else null
    };
    // A completed op that is not recorded yet.
    struct Done {
        core::OpId op = 0;
        bool failed = false;
        bool timed = false;
        bool bounded = false;              // its times are not known, only bounds of them
        std::uint64_t launch_begin = 0;    // ticks
        std::uint64_t begin = 0, end = 0;  // ticks; until `timed`, bounds of its execution
        Nodes nodes;
        std::uint64_t flush = 0;  // number of flushes begun when it completed
    };
    struct LazyBlock {
        float* data;
        std::uint64_t bytes;
    };
    // The most recent launch of a composite op in a lane.
    struct LaneGraph {
        GraphExecOwner exec;
        std::vector<Command> steps;
        Nodes nodes;
    };
    struct Lane {
        std::uint32_t number = 0;  // in the device, like all lane numbers within this class
        StreamOwner stream;
        BlasOwner blas;
        DeviceMemory workspace, scratch;
        std::atomic<std::uint32_t> completed{0};
        std::atomic<std::uint32_t> retired{0};  // completed and passed to the recording
        std::mutex mutex;                       // protects the next two members
        std::deque<InFlight> in_flight;
        std::uint32_t taken = 0;  // number of commands that have left in_flight
        std::mutex done_mutex;
        std::deque<Done> done;
        std::map<std::uint64_t, std::vector<float*>> lazy_free;  // by size, in lane order; launching thread only
        std::unordered_map<const Signature*, std::vector<LaneGraph>>
            graphs;  // least recently used first; launching thread only
        trace::StreamWriter<trace::ExecRecord> writer;
        std::uint64_t recorded_until = 0;  // ticks
        bool last_bounded = false;         // the op recorded last
        // Ops recorded with bounds since record_bounds(), and the time within which they ran.
        std::uint64_t bounded = 0, bounded_from = 0, bounded_until = 0;
        // Launching thread only: deferred commands, and the number of commands launched.
        std::deque<Command> deferred;
        std::uint32_t launched = 0;
        // Slow motion: the pause after the newest op, in ticks; no pause if `slow_from` is 0. Written by the completion
        // thread before it counts the op.
        std::atomic<std::uint64_t> slow_from{0}, slow_until{0};
    };
    // Assigns all launches during its lifetime to this op.
    class Correlation {
    public:
        Correlation(Cupti* cupti, std::uint64_t op) : cupti_(cupti != nullptr && cupti->push(op) ? cupti : nullptr) {}
        ~Correlation() {
            if (cupti_ != nullptr) {
                cupti_->pop();
            }
        }
        Correlation(const Correlation&) = delete;
        Correlation& operator=(const Correlation&) = delete;

    private:
        Cupti* cupti_;
    };
    // A moment known on both clocks: the event happened within uncertainty_ns of `ns`.
    struct EventAnchor {
        EventOwner event;
        std::int64_t ns = 0;
        std::uint64_t uncertainty_ns = 0;
    };

    // cuda_device.cpp: launching.
    void launch_loop();
    bool may_launch(std::uint32_t lane);
    // With `launches`, launches commands while it waits.
    void wait_for(std::uint32_t lane, std::uint32_t seq, bool launches);
    bool launch_what_may();  // false if commands remain because the lanes are held
    bool launch_in_order();
    // deferred.cpp
    [[nodiscard]] bool needs_more(const Command& command);
    [[nodiscard]] static bool is_launched(Lane& lane, std::uint32_t seq);  // any thread
    [[nodiscard]] bool stays_slow(const Lane& lane) const;
    void defer(std::uint32_t lane, const Command& command);
    bool launch_deferred();
    void set_left(bool left);
    void deferred_loop(const std::stop_token& stop);
    void share_slot();
    void launch(std::uint32_t index, Command& command);
    void launch_work(Lane& lane, Command& command, InFlight& flight);
    // ops.cpp
    void start_op(Lane& lane, const Command& command, InFlight& flight);
    void record_begin(Lane& lane, InFlight& flight);
    void start_kernels(Lane& lane, const Command& command);
    void start_product(Lane& lane, const Command& command);
    void start_copy_from_gpu(Lane& lane, const Command& command);
    void start_copy_in(Lane& lane, const Command& command, InFlight& flight);
    void start_copy_out(Lane& lane, const Command& command, InFlight& flight);
    void start_host_call(Lane& lane, const Command& command, InFlight& flight);
    // graphs.cpp
    void start_composite(Lane& lane, const Command& command, InFlight& flight);
    void capture(Lane& lane, const std::vector<Command>& steps, LaneGraph& graph);
    // cuda_device.cpp
    // The peer of this number if it is a GPU; else null.
    [[nodiscard]] CudaDevice* gpu_peer(core::DeviceId number) const;
    // The GPU of the run that has this lane of the run; null for a lane of the CPU.
    [[nodiscard]] CudaDevice* gpu_with(std::uint32_t lane);
    void use_memory_of(const CudaDevice& peer) const;
    bool launch_on_all_gpus();  // false if commands remain because the lanes are held
    static void wait_on_stream(Lane& lane, Lane& needed, std::uint32_t seq);
    void push(Lane& lane, InFlight flight);
    void failed_call(Lane& lane, const Command& command, InFlight& flight, const CudaError& error);
    void lose(core::OpId op, const std::string& message);
    void record_end(Lane& lane, InFlight& flight);
    [[nodiscard]] bool lost() const { return lost_.load(std::memory_order_acquire); }
    // Whether CUDA now answers every call with an error.
    [[nodiscard]] static bool is_sticky(cudaStream_t stream);

    // memory.cpp
    void count_reserved(std::int64_t bytes);
    void use_device() const;  // CUDA keeps the current device per thread
    bool take_lazily(Lane& lane, Command& command);
    [[nodiscard]] float* take_lazily_from(Lane* lane, const Command& command);
    void free_lazily(Lane& lane, core::BufferId buffer);
    void give_back_lazy_blocks();

    // completion.cpp
    void complete_loop();
    bool retire_finished(Lane& lane);
    void retire(Lane& lane, std::vector<InFlight>& batch);
    [[nodiscard]] std::size_t count_finished(Lane& lane);
    void poke();
    void wake_launcher();

    // times.cpp
    void start_timing();
    [[nodiscard]] std::optional<std::uint64_t> measure_cupti();
    [[nodiscard]] EventAnchor take_event_anchor();
    void renew_event_anchor();
    [[nodiscard]] std::int64_t ns_of_event(std::uint32_t anchor, cudaEvent_t event);
    [[nodiscard]] std::uint64_t ticks_from_ns(std::int64_t ns);
    void record(Lane& lane, const InFlight& flight, std::uint64_t now);
    void times_loop();
    // Fetches and records times; returns whether nothing is left. `last`: record ops without times as well.
    bool record_times(bool last);
    void write(Lane& lane, const Done& done);
    void record_bounds(Lane& lane);
    void write_parts(Lane& lane, const Done& done, std::uint64_t begin, std::uint64_t end);
    void record_driver_events();

    const CudaOptions options_;
    trace::Recording& recording_;
    DeviceInfo info_;
    Cupti* cupti_;
    std::unique_ptr<NvtxRanges> nvtx_ranges_;
    std::unique_ptr<EventPool> events_;
    PinnedPool pinned_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    StreamOwner copies_;  // for read()
    StreamOwner clock_stream_;
    // Launches of several GPUs overlap, and are not recorded.
    trace::StreamWriter<trace::ExecRecord> launches_;
    bool alone_ = true;  // no other GPU is in the run
    struct DriverRecords {
        std::mutex mutex;
        trace::StreamWriter<trace::DriverRecord> writer;
    };
    std::shared_ptr<DriverRecords> driver_;  // of all GPUs of the run
    void add_driver_record(const trace::DriverRecord& record);

    CommandQueue queue_;  // the lane is in the upper half of Command::flags
    std::uint32_t popped_ = 0;
    std::uint64_t held_since_ = 0;          // ticks since which the learner has held the next command; 0: not held
    std::atomic<std::size_t> deferred_{0};  // deferred commands in all lanes
    std::mutex launching_;                // held by the thread that is launching
    std::atomic<std::uint32_t> left_{0};  // futex of deferred_loop: 1 while commands are held or deferred
    std::atomic<std::uint32_t> launcher_asleep_{0};
    std::atomic<std::uint32_t> held_{0};
    std::atomic<bool> abandoned_{false};
    std::atomic<float> slow_factor_{0};
    std::atomic<bool> stop_launching_{false};
    std::atomic<core::OpId> last_launched_{0};
    bool crowded_ = false;
    std::uint64_t spin_ticks_ = 0;

    std::atomic<std::uint64_t> in_flight_{0};
    std::atomic<std::uint32_t> waiters_{0};
    std::atomic<std::uint32_t> progress_{0};  // futex of waiting threads: changes with every counter
    std::atomic<std::uint32_t> poke_{0};      // futex of the completion thread
    enum : std::uint32_t { kAwake, kIdle, kNapping };
    std::atomic<std::uint32_t> completer_asleep_{kAwake};
    std::atomic<bool> stop_completing_{false};

    std::atomic<bool> lost_{false};
    std::mutex lost_mutex_;
    std::atomic<std::uint64_t> reserved_{0};

    std::mutex lazy_mutex_;
    std::unordered_map<core::BufferId, LazyBlock> lazy_;
    std::atomic<std::uint64_t> lazy_bytes_{0};
    std::atomic<std::uint64_t> lazy_budget_{0};

    std::mutex anchor_mutex_;
    std::deque<EventAnchor> anchors_;
    std::uint32_t first_anchor_ = 0;  // number of anchors_.front()
    std::atomic<std::uint32_t> newest_anchor_{0};
    std::int64_t next_anchor_ns_ = 0;
    core::TickMap tick_map_;  // used by the thread that writes the lanes' records
    std::atomic<std::uint64_t> flushes_begun_{0};
    std::mutex times_mutex_;
    std::condition_variable times_changed_;
    std::uint64_t settles_asked_ = 0, settles_done_ = 0;
    bool stop_times_ = false;

    std::jthread launcher_, completer_, timer_;
    std::jthread deferred_launcher_;
};

}  // namespace headway::devices::cuda
