// The CPU as a device: one worker thread per lane, with single-threaded OpenBLAS per worker; truly asynchronous.
//
// Threads: the frontend calls the Device interface; workers run the lanes. An idle worker spins for 50 µs and then
// sleeps: a futex hand-over costs 25 to 45 µs on a small computer, a spin hand-over 0.1 µs.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/core/sequence.h"
#include "engine/devices/command_queue.h"
#include "engine/devices/cpu/host_memory.h"
#include "engine/devices/device.h"
#include "engine/devices/kernels/kernels.h"

namespace headway::devices {

struct CpuOptions {
    bool record = true;   // turned off only to measure the recorder's cost
    int pin_worker = -1;  // benchmarks: all workers on this core
    DeviceSlot place;
};

class CpuDevice final : public Device {
public:
    CpuDevice(std::uint32_t workers, trace::Recording& recording, CpuOptions options = {});
    ~CpuDevice() override;  // completes all queued commands first

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    [[nodiscard]] std::uint32_t lanes() const override { return static_cast<std::uint32_t>(lanes_.size()); }
    void publish(std::uint32_t lane) override;
    [[nodiscard]] const std::atomic<std::uint32_t>& completed(std::uint32_t lane) const override;
    void wait(std::uint32_t lane, std::uint32_t seq) override;
    [[nodiscard]] void* allocate(std::size_t bytes) override;
    void deallocate(void* data, std::size_t bytes) override;
    void read(float* host, const float* device, std::size_t elements) override;
    [[nodiscard]] float* lazy_data(core::BufferId buffer) override;
    [[nodiscard]] float* take_lazily_for(const Command& command) override;
    [[nodiscard]] std::uint64_t lazy_bytes() const override { return lazy_bytes_.load(std::memory_order_relaxed); }
    void set_lazy_budget(std::uint64_t bytes) override { lazy_budget_.store(bytes, std::memory_order_relaxed); }
    void hold(bool held) override;
    void slow_down(float factor) override { slow_factor_.store(factor, std::memory_order_relaxed); }
    void abandon() override { abandoned_.store(true, std::memory_order_relaxed); }

private:
    // A thread that sleeps until a lane has completed enough: the frontend, or another lane's worker.
    struct alignas(64) Sleeper {
        std::atomic<std::uint32_t> asleep{0};
    };
    struct Lane {
        std::uint32_t number = 0;  // in the run
        CommandQueue queue;
        alignas(128) std::atomic<std::uint32_t> completed{0};
        std::atomic<std::uint32_t> watchers{0};             // number of `wake_at` entries set
        alignas(128) std::atomic<std::uint32_t> asleep{0};  // the worker sleeps because its queue is empty
        // Per sleeper (lanes, then the frontend): the count at which to wake it, with bit 32 set while it waits.
        alignas(128) std::array<std::atomic<std::uint64_t>, core::kMaxLanes + 1> wake_at{};
        trace::StreamWriter<trace::ExecRecord> writer;
        std::atomic<std::uint64_t>* running = nullptr;  // in trace::RunningOp: the op shown as running
        std::uint64_t last_ticks = 0;                   // duration of the last op
        std::jthread thread;
    };
    struct LazyBlock {
        float* data;
        std::uint64_t bytes;
    };

    [[nodiscard]] void* allocate(std::size_t bytes, bool ahead);
    [[nodiscard]] Lane& lane_of(std::uint32_t lane) const { return *lanes_[lane - first_lane()]; }
    void work(std::uint32_t index);
    void stay_held(std::uint32_t lane);
    void stay_slow(std::uint32_t lane, std::uint64_t op_ticks);
    void run(Lane& lane, Command& command);
    void run_slowly(Lane& lane, Command& command);
    bool run_alone(Command& command);
    bool run_step(Lane& lane, Command& step);
    bool take_lazily(Command& command);
    void wait_for(Lane& lane, std::uint32_t seq, std::uint32_t sleeper);
    void wake_watchers(Lane& lane, std::uint32_t completed);
    [[nodiscard]] bool reached(const Lane& lane, std::uint32_t seq) const {
        return core::reached(lane.completed.load(std::memory_order_acquire), seq);
    }

    HostMemory memory_;
    DeviceInfo info_;
    CpuOptions options_;
    trace::Recording& recording_;
    trace::Control& control_;
    std::array<kernels::Kernel, kOpKinds> kernels_{};
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::array<Sleeper, core::kMaxLanes + 1> sleepers_;
    std::uint64_t spin_ticks_ = 0;
    bool crowded_ = false;  // more threads than cores: spinning threads yield
    std::atomic<std::uint32_t> held_{0};
    std::atomic<float> slow_factor_{0};
    std::atomic<bool> abandoned_{false};
    std::atomic<bool> stopping_{false};

    std::mutex lazy_mutex_;
    std::unordered_map<core::BufferId, LazyBlock> lazy_;
    std::atomic<std::uint64_t> lazy_bytes_{0};
    std::atomic<std::uint64_t> lazy_budget_{0};
};

// The processor's name from the operating system; "CPU" if unknown.
std::string cpu_name();

}  // namespace headway::devices
