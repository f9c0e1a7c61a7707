// Chooses the lane of each op, and what the op must wait for.
//
// Dependencies follow tensor versions: an op runs after the last writer of each buffer that it reads, and after the
// readers and the last writer of the buffer that it overwrites. A dependency within the op's lane is met by lane order;
// one on another lane becomes a wait for that lane's completion counter.
//
// The lane is the one with the shortest wait. In virtual time the device knows when each lane could begin the op.
// Otherwise it is the lane of the op's newest unfinished input, or if there is none, the lane of its device with the
// fewest queued commands.
//
// Threads: the frontend only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/runtime/scheduling/buffer.h"
#include "engine/runtime/scheduling/lanes.h"
#include "engine/runtime/scheduling/operation.h"

namespace headway::runtime {

// The lane of an op, and the commands of other lanes that it must wait for: the first `waits` entries.
struct Placement {
    std::uint32_t lane = 0;
    std::uint32_t waits = 0;
    std::array<std::uint32_t, core::kMaxLanes> wait_lane;
    std::array<std::uint32_t, core::kMaxLanes> wait_seq;
};

class Scheduler {
public:
    explicit Scheduler(Lanes& lanes) : lanes_(lanes) {}
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    // What an op, or several that run together, must wait for.
    class Needs {
    public:
        explicit Needs(std::uint32_t lanes) { std::fill_n(seq_.begin(), lanes, 0u); }

    private:
        friend class Scheduler;
        LaneSeqs seq_;  // the last command needed of each lane; 0: none
        core::OpId newest_ = 0;
        std::uint32_t home_ = core::kMaxLanes;  // lane of the newest dependency; kMaxLanes: none
    };

    // Adds the unfinished commands that `operation` depends on.
    void collect(const Operation& operation, Needs& needs);
    // Chooses one of the lanes of `device`.
    void choose_lane(const Needs& needs, core::DeviceId device, Placement& placement);
    // Does both for a single op.
    void place(const Operation& operation, Placement& placement);
    // A command can wait for one other lane. Submits the placement's further waits before it, as commands of their own.
    void submit_waits(const Placement& placement) {
        for (std::uint32_t i = 1; i < placement.waits; ++i) {
            lanes_.submit_wait(placement.lane, placement.wait_lane[i], placement.wait_seq[i]);
        }
    }

private:
    void follow_writer(const Buffer& buffer, Needs& needs);
    void follow_readers(const Buffer& buffer, Needs& needs);

    Lanes& lanes_;
    std::uint32_t refresh_ = 0;
    // Of each device: the lane, counted from its first one, at which the next search begins (round robin).
    std::array<std::uint32_t, core::kMaxDevices> turn_{};
};

}  // namespace headway::runtime
