// The interface between the runtime and the devices that execute ops.
//
// A device is a set of lanes; a lane is a FIFO that completes its commands in order and counts them. Dependencies
// across lanes are waits on those counters. A device has no notion of tensors, versions or programs.
//
// A run may have several devices: up to eight GPUs and the CPU. Lanes are numbered across all of them, and every
// function here takes that number; a command may wait for a lane of any device. All report failures to one Poison,
// because buffers are copied between them.
//
// Threads: the frontend makes all calls, except where noted; a device's own threads call nothing of it.
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
#include "engine/memory/pool.h"
#include "engine/trace/recorder.h"

namespace headway::devices {

struct DeviceInfo {
    std::string kind;  // "cpu", "cuda", "simulated"
    std::string name;  // "AMD EPYC …, 1 worker"
    bool simulated = false;
    std::vector<std::string> lane_names;  // "Worker 0", "Stream 0"
    // Source of op times ("cupti", "events"), empty if the lane itself reads the host's clock; and the uncertainty of
    // these times against that clock.
    std::string timing{};
    std::string timing_note{};  // why a better source is not used
    std::uint64_t timing_uncertainty_ns = 0;
};

class Device;

// The position of a device among the devices of its run. The GPUs have the first numbers.
struct DeviceSlot {
    core::DeviceId number = 0;
    std::uint32_t first_lane = 0;                      // the number of its first lane
    std::array<Device*, core::kMaxDevices> earlier{};  // the devices that joined before, by number
};

// Also the source of the device's memory. It has many public functions because virtual time, the lazy policy and the
// learner's holds add some; those have a default, which a device without that feature keeps.
class Device : public memory::Source {
public:
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    [[nodiscard]] core::DeviceId number() const { return place_.number; }
    [[nodiscard]] std::uint32_t first_lane() const { return place_.first_lane; }
    [[nodiscard]] bool has_lane(std::uint32_t lane) const { return lane - place_.first_lane < lanes(); }
    // Another device of the run; null if there is none of this number.
    [[nodiscard]] Device* peer(core::DeviceId number) const { return peers_[number]; }
    // The one that has this lane.
    [[nodiscard]] Device& peer_with(std::uint32_t lane) const;
    // The run's CPU, if that is another device; else null.
    [[nodiscard]] Device* cpu_peer() const;
    // "the CPU", "the GPU", or "GPU 1" in a run with several.
    [[nodiscard]] std::string words() const;
    // " on the GPU", for messages, if the run has several devices; otherwise empty.
    [[nodiscard]] std::string where() const;
    // Another device joins the run. Call before the first command that concerns it.
    virtual void meet(Device& other) { peers_[other.number()] = &other; }

    [[nodiscard]] virtual const DeviceInfo& info() const = 0;
    [[nodiscard]] virtual std::uint32_t lanes() const = 0;

    // The lane's next command. Its contents are undefined: write every field in place, then call publish().
    [[nodiscard]] Command& slot(std::uint32_t lane) { return *slots_[lane]; }
    // Appends slot(lane) to the lane's queue and returns at once. The queue is unbounded.
    virtual void publish(std::uint32_t lane) = 0;
    void submit(std::uint32_t lane, const Command& command) {
        slot(lane) = command;
        publish(lane);
    }

    // Number of commands that this lane has completed, modulo 2^32. The address is constant.
    [[nodiscard]] virtual const std::atomic<std::uint32_t>& completed(std::uint32_t lane) const = 0;

    // Blocks until `lane` has completed `seq` commands (compared modulo 2^32).
    virtual void wait(std::uint32_t lane, std::uint32_t seq) = 0;
    // The same, called by a thread of another device, one of whose lanes depends on `lane`.
    virtual void wait_from_peer(std::uint32_t lane, std::uint32_t seq);

    // Copies finished values from the device to host memory; the caller has waited for them.
    virtual void read(float* host, const float* device, std::size_t elements) = 0;

    // Lazy policy: the memory of a buffer; null before its op has started. Call only after a wait. See hold().
    [[nodiscard]] virtual float* lazy_data(core::BufferId) { return nullptr; }
    // Lazy policy: allocates the output of `command`, which a lane of another device executes. Null on failure, which
    // is then in poison(). See hold().
    [[nodiscard]] virtual float* take_lazily_for(const Command&) { return nullptr; }
    // Lazy policy: bytes in use by lanes, and the budget in bytes.
    [[nodiscard]] virtual std::uint64_t lazy_bytes() const { return 0; }
    virtual void set_lazy_budget(std::uint64_t /*bytes, 0: none*/) {}

    // Failed ops and the buffers that they spoiled. Lanes write it; the frontend reads it after a wait.
    [[nodiscard]] Poison& poison() { return *poison_; }

    // Bytes that the device's own allocator has taken from the driver, in use or not; 0 if not counted.
    [[nodiscard]] virtual std::uint64_t reserved_bytes() const { return 0; }

    // Returns once every completed op is in the recording. Lanes that measure their own times need nothing; a GPU
    // reports late. Do not call during a measurement.
    virtual void settle() {}

    // Called once at the end of each wait of the frontend, after the last wait(): virtual time adds the return (t3).
    virtual void wait_returned() {}

    // The program was stopped: counts every queued command as completed without running it. Any thread, like hold().
    virtual void abandon() {}

    // Whether time is virtual. If so, now() is the frontend's clock, and submit() and wait() advance it.
    [[nodiscard]] virtual bool virtual_time() const { return false; }
    [[nodiscard]] virtual std::uint64_t now() const { return core::ticks(); }
    virtual void advance(std::uint64_t /*ns*/) {}  // virtual time: the program computed for `ns`
    // Virtual time: the lane of this device in which an op issued now would begin first, given the completions that it
    // needs of each lane (0: none). Among equals `preferred`, then the first from `next` on.
    [[nodiscard]] virtual std::uint32_t earliest_lane(const std::array<std::uint32_t, core::kMaxLanes>& /*needs*/,
                                                      std::uint32_t /*preferred*/, std::uint32_t next) const {
        return next;
    }

    // While held, lanes finish what they run and start nothing new. Any thread; in virtual time only the frontend.
    virtual void hold(bool /*held*/) {}
    // Slow motion: a lane pauses after each op for `factor` times the op's duration; 0: off. The frontend pauses by
    // the same factor after each issue.
    virtual void slow_down(float /*factor*/) {}
    // Call repeatedly while the frontend is paused: devices without threads apply the learner's holds and steps here.
    virtual void attend() {}

protected:
    explicit Device(const DeviceSlot& place = {})
        : place_(place),
          peers_(place.earlier),
          poison_(place.earlier[0] != nullptr ? &place.earlier[0]->poison() : &own_poison_) {
        slots_.fill(&spare_);
    }
    void set_slot(std::uint32_t lane, Command& slot) { slots_[lane] = &slot; }

private:
    std::array<Command*, core::kMaxLanes> slots_;
    Command spare_;  // the slot of lanes without one of their own
    DeviceSlot place_;
    std::array<Device*, core::kMaxDevices> peers_;  // by number; null: none, or this one
    Poison own_poison_;
    Poison* poison_;  // shared by the devices of the run
};

}  // namespace headway::devices
