// The one interface between the runtime and what executes ops.
//
// A device is a set of lanes; a lane is a FIFO that completes its commands in order and counts them. Dependencies
// across lanes are waits on those counters. The device knows nothing of tensors, versions or programs.
//
// A run may have two devices, a GPU and the CPU beside it. Lanes have one number in the run, whosever they are, and
// that number is what every function here takes; a command may wait for a lane of either. Both tell their failures to
// one Poison, as buffers are copied from one to the other.
//
// Threads: the frontend calls everything here but what says otherwise; a device's own threads call nothing of it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/ids.h"
#include "engine/core/result.h"
#include "engine/devices/op.h"
#include "engine/devices/poison.h"
#include "engine/trace/recorder.h"

namespace headway::devices {

struct DeviceInfo {
    std::string kind;  // "cpu", "cuda", "simulated"
    std::string name;  // "AMD EPYC …, 1 worker"
    bool simulated = false;
    std::vector<std::string> lane_names;  // "Worker 0", "Stream 0"
    // Where the times of ops come from ("cupti", "events"), empty where the lane itself reads the host's clock; and by
    // how much they may be off against that clock.
    std::string timing{};
    std::string timing_note{};  // why not the better one
    std::uint64_t timing_uncertainty_ns = 0;
};

// "CPU" or "GPU": what a device is called beside another one.
[[nodiscard]] inline const char* short_name(const DeviceInfo& info) {
    return info.kind == "cpu" ? "CPU" : "GPU";
}

class Device;

// Where a device stands among those of its run.
struct DeviceSlot {
    core::DeviceId number = 0;
    std::uint32_t first_lane = 0;  // the number of its first lane
    Device* beside = nullptr;      // the device that was there before
};

class Device {
public:
    virtual ~Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    [[nodiscard]] core::DeviceId number() const { return place_.number; }
    [[nodiscard]] std::uint32_t first_lane() const { return place_.first_lane; }
    [[nodiscard]] bool has_lane(std::uint32_t lane) const { return lane - place_.first_lane < lanes(); }
    // The run's other device; null where there is none.
    [[nodiscard]] Device* beside() const { return place_.beside; }
    // " on the GPU", for messages, where the run has another device as well; else nothing.
    [[nodiscard]] std::string where() const {
        return beside() == nullptr ? "" : std::string(" on the ") + short_name(info());
    }
    // Another device joins the run. Call before the first command that has to do with it.
    virtual void meet(Device& other) { place_.beside = &other; }

    [[nodiscard]] virtual const DeviceInfo& info() const = 0;
    [[nodiscard]] virtual std::uint32_t lanes() const = 0;

    // The lane's next command: whoever submits writes all of it in place, then publishes it. It holds anything before.
    [[nodiscard]] Command& slot(std::uint32_t lane) { return *slots_[lane]; }
    // Appends what slot(lane) holds to the lane's queue and returns at once. The queue is unbounded.
    virtual void publish(std::uint32_t lane) = 0;
    void submit(std::uint32_t lane, const Command& command) {
        slot(lane) = command;
        publish(lane);
    }

    // How many commands this lane has completed, modulo 2^32. The address is constant.
    [[nodiscard]] virtual const std::atomic<std::uint32_t>& completed(std::uint32_t lane) const = 0;

    // Blocks until `lane` has completed `seq` commands (compared modulo 2^32).
    virtual void wait(std::uint32_t lane, std::uint32_t seq) = 0;
    // The same for a thread of the other device, one of whose lanes needs what `lane` does.
    virtual void wait_from_beside(std::uint32_t lane, std::uint32_t seq);

    // Memory of the device, 64-byte aligned; null when there is none left.
    [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
    virtual void deallocate(void* data, std::size_t bytes) = 0;

    // Copies finished values to and from host memory; the caller has waited for them.
    virtual void read(float* host, const float* device, std::size_t elements) = 0;

    // Lazy policy: the memory of a buffer, null before its op has started. After a wait only. Any thread.
    [[nodiscard]] virtual float* lazy_data(core::BufferId) { return nullptr; }
    // Lazy policy: takes the memory for the output of `command`, which a lane of the other device executes. Null where
    // there is none, and poison() knows. Any thread.
    [[nodiscard]] virtual float* take_lazily_for(const Command&) { return nullptr; }
    // Lazy policy: bytes that lanes have taken and not yet given back, and the most that they ever were.
    [[nodiscard]] virtual std::uint64_t lazy_bytes() const { return 0; }
    virtual void set_lazy_budget(std::uint64_t /*bytes, 0: none*/) {}

    // Ops that failed, and the buffers that they spoiled. Lanes write, the frontend reads after a wait.
    [[nodiscard]] Poison& poison() { return *poison_; }

    // Bytes that the device's own allocator has taken from the driver, in use or not; 0 where nobody counts them.
    [[nodiscard]] virtual std::uint64_t reserved_bytes() const { return 0; }

    // Returns once every op that has completed is in the recording. Lanes that take their own times are always there;
    // a GPU reports later. Not to be called while something is measured.
    virtual void settle() {}

    // Called once at the end of each wait of the frontend, after the last wait(): virtual time adds the return (t3).
    virtual void wait_returned() {}

    // Everything queued is counted as completed without being run: the program has been stopped. Any thread, as hold().
    virtual void abandon() {}

    // Whether time is virtual; then now() is the frontend's clock, and submit() and wait() move it on.
    [[nodiscard]] virtual bool virtual_time() const { return false; }
    [[nodiscard]] virtual std::uint64_t now() const { return core::ticks(); }
    virtual void advance(std::uint64_t /*ns*/) {}  // virtual time: the program computed for so long
    // Virtual time: the lane of this device in which an op issued now would begin first, where it needs so many
    // completions of each lane (0: none); of equals `preferred`, then the first from `next` on.
    [[nodiscard]] virtual std::uint32_t earliest_lane(const std::array<std::uint32_t, core::kMaxLanes>& /*needs*/,
                                                      std::uint32_t /*preferred*/, std::uint32_t next) const {
        return next;
    }

    // Lanes finish what they run and start nothing new until released.
    virtual void hold(bool /*held*/) {}

protected:
    explicit Device(const DeviceSlot& place = {})
        : place_(place), poison_(place.beside != nullptr ? &place.beside->poison() : &own_poison_) {
        slots_.fill(&spare_);
    }
    void set_slot(std::uint32_t lane, Command& slot) { slots_[lane] = &slot; }

private:
    std::array<Command*, core::kMaxLanes> slots_;
    Command spare_;  // the slot of devices that have none of their own
    DeviceSlot place_;
    Poison own_poison_;
    Poison* poison_;  // of the run
};

}  // namespace headway::devices
