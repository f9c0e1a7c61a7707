// The devices of a run and their lanes: the commands submitted to each lane, and how many of them are complete.
//
// Lanes are numbered across the devices. A command is named by its lane and by its sequence number there, which counts
// from 1 and wraps at 2^32; 0 means none.
//
// Threads: the frontend only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/sequence.h"
#include "engine/devices/device.h"
#include "engine/devices/device_set.h"

namespace headway::runtime {

// A sequence number of each lane.
using LaneSeqs = std::array<std::uint32_t, core::kMaxLanes>;

// Raises the number of `lane` to `seq`.
inline void raise_to(LaneSeqs& seqs, std::uint32_t lane, std::uint32_t seq) {
    if (seq != 0 && (seqs[lane] == 0 || core::after(seq, seqs[lane]))) {
        seqs[lane] = seq;
    }
}

class Lanes {
public:
    // The run begins with the devices that the set has by now.
    explicit Lanes(std::shared_ptr<devices::DeviceSet> devices);
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;

    // The next device of the set joins the run.
    void add_device();
    [[nodiscard]] core::DeviceId devices() const { return device_count_; }
    [[nodiscard]] devices::Device& device(core::DeviceId device) const { return (*set_)[device]; }
    [[nodiscard]] devices::DeviceSet& set() const { return *set_; }
    [[nodiscard]] bool virtual_time() const { return virtual_time_; }
    // "the CPU (device cpu)"
    [[nodiscard]] std::string name_of(core::DeviceId device) const;

    // Number of lanes of all devices together; those of one device are [begin(device), end(device)).
    [[nodiscard]] std::uint32_t count() const { return count_; }
    [[nodiscard]] std::uint32_t begin(core::DeviceId device) const { return begin_[device]; }
    [[nodiscard]] std::uint32_t end(core::DeviceId device) const { return begin_[device + 1u]; }
    [[nodiscard]] devices::Device& device_of(std::uint32_t lane) const { return *device_of_[lane]; }

    // The last command submitted to each lane.
    [[nodiscard]] const LaneSeqs& submitted() const { return submitted_; }
    // Counts a command that the caller writes into the lane's slot. Returns its sequence number.
    std::uint32_t next(std::uint32_t lane) { return ++submitted_[lane]; }
    // Submits an op.
    std::uint32_t submit(std::uint32_t lane, const devices::Command& command) {
        const std::uint32_t seq = next(lane);
        device_of_[lane]->submit(lane, command);
        return seq;
    }
    // Submits a command without an op: one that frees memory, or one that only waits for command `seq` of lane `other`.
    void submit_idle(std::uint32_t lane, const devices::Command& command);
    void submit_wait(std::uint32_t lane, std::uint32_t other, std::uint32_t seq);

    [[nodiscard]] bool finished(std::uint32_t lane, std::uint32_t seq) {
        return !core::after(seq, seen_[lane]) || !core::after(seq, look(lane));
    }
    // The commands that the last look at the lane's counter found complete. Costs nothing.
    [[nodiscard]] std::uint32_t seen(std::uint32_t lane) const { return seen_[lane]; }
    // Looks at the lane's counter, which costs a cache miss.
    std::uint32_t look(std::uint32_t lane) {
        return seen_[lane] = device_of_[lane]->completed(lane).load(std::memory_order_acquire);
    }

    // Blocks until the command is complete.
    void wait(std::uint32_t lane, std::uint32_t seq) { device_of_[lane]->wait(lane, seq); }
    // The same; seen() is then at least `seq`.
    void wait_until_seen(std::uint32_t lane, std::uint32_t seq);
    // Blocks until the commands `seqs` of the lanes [begin, end) are complete.
    void wait(const LaneSeqs& seqs, std::uint32_t begin, std::uint32_t end);

    // Commands submitted and not finished, now.
    [[nodiscard]] std::uint32_t unfinished_commands() const;
    // Whether any of them is an op.
    [[nodiscard]] bool has_open_ops();

private:
    std::array<devices::Device*, core::kMaxLanes> device_of_{};
    std::uint32_t count_ = 0;
    core::DeviceId device_count_ = 0;
    bool virtual_time_ = false;
    LaneSeqs submitted_{};
    LaneSeqs seen_{};
    // Of each lane, the commands without an op at the end of its queue: (after, until].
    LaneSeqs idle_after_{}, idle_until_{};
    std::array<std::uint32_t, core::kMaxDevices + 1> begin_{};  // the first device begins with lane 0
    std::shared_ptr<devices::DeviceSet> set_;
};

}  // namespace headway::runtime
