// Replays a recorded run: the same ops in the same order, with the same dependencies and durations, but with other
// waits or typical overheads. Begin times are recomputed by a discrete-event simulation of the frontend (issues,
// own work, waits, returns) and the lanes. Cold caches and exhausted memory are not modelled.
//
// On the simulated device the lanes are those of the device itself (VirtualLanes): choice of lane and contention
// follow the same rules as in the run. A replay with all waits reproduces the recorded times, and one without some
// of them gives the times of a run without them, both to the nanosecond. On other devices ops stay in their lanes,
// and each op keeps its duration and its hand-over: the time from when its dependencies were met to its start. But if
// the lane is still busy in the replay where it was idle in the run, nothing has to wake it: then the hand-over is at
// most the shortest one of the ops so far.
//
// Private to app/model; used by what_if.h and prediction.h.
//
// Covers the ops and waits present at construction; later updates of the run are ignored.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/model/replay/what_if.h"
#include "app/model/run/run.h"

namespace headway::model {

// Median overheads of the measured part (of an even number, the lower one), grouped by what came before an op or a
// wait. The classes differ by orders of magnitude: a spinning worker reacts at once, a sleeping one has to be woken.
// An op keeps its class in a replay: a class may have one sample, such as the run's first op, which says nothing about
// ops that a small shift would move into it.
struct TypicalOverheads {
    static constexpr std::int64_t kAsleepNs = 50'000;  // how long lanes and frontend spin before they sleep
    static constexpr std::size_t kClasses = 5;
    static constexpr std::int64_t kUnknown = -1;  // the measured part has no sample: each keeps its own
    // Hand-overs: after the previous op in the lane; from the frontend to a lane idle for less than kAsleepNs, and
    // for longer; from another lane to a lane idle for less, and for longer. By device.
    std::int64_t handover_ns[core::kMaxDevices][kClasses] = {};
    std::size_t from_frontend_awake = 0, from_frontend_asleep = 0;  // samples on the first device
    // Returns: nothing was left to wait for; short wait; long wait.
    std::int64_t return_ns[3] = {};
};

class Replay {
public:
    struct Options {
        std::function<bool(std::size_t wait)> is_left_out;  // empty: no wait is
        const TypicalOverheads* handovers = nullptr;        // used instead of the recorded ones
        const TypicalOverheads* returns = nullptr;
        TypicalOverheads* measure_handovers = nullptr;  // filled with the run's own medians
        bool find_chain = false;                        // compute longest_chain_ns()
    };
    // False if waits or the run took years: such times occur only in damaged recordings, and would overflow.
    static bool can(const Run& run);
    Replay(const Run& run, Options options);
    ~Replay();
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    // Works for about `budget_ms` (0: until done); true if more is left to do.
    bool step(double budget_ms);

    // Call after step() has returned false.
    [[nodiscard]] std::int64_t total_ns() const { return total_ns_; }
    [[nodiscard]] std::vector<WhatIfRun::Times> op_times() const;
    // The duration of the measured ops if each began as soon as its dependencies had ended.
    [[nodiscard]] std::int64_t longest_chain_ns() const { return longest_chain_ns_; }

    class Backend;

private:
    void take_measure_event(OpId issued, std::size_t wait);
    void take_op(OpId id);
    void take_wait(std::size_t index);
    void take_drops(OpId issued, std::int64_t until_ns);
    void frontend_at(std::int64_t then_ns);
    void finish();

    const Run& run_;
    Options options_;
    Run::Measured part_;
    const OpId op_count_;  // the run's values at construction, like the next three
    const std::size_t wait_count_;
    const std::int64_t last_work_ns_;  // end of the frontend's last recorded work; INT64_MIN: there is none
    const std::optional<std::int64_t> program_end_ns_;
    std::unique_ptr<Backend> backend_;
    OpId next_op_ = 1;
    std::size_t next_wait_ = 0;
    bool done_ = false;
    std::int64_t shift_ns_ = 0;  // the frontend's replayed time minus its recorded time
    std::int64_t begin_ns_ = 0, end_ns_ = 0, paused_ns_ = 0;
    std::int64_t frontend_end_ns_ = INT64_MIN, then_frontend_end_ns_ = INT64_MIN;
    bool begun_ = false, ended_ = false;
    std::int64_t total_ns_ = 0;
    struct Drop {
        BufferId buffer;
        std::int64_t ns;
        OpId issued;  // ops issued before it
    };
    std::vector<Drop> drops_;  // if the backend needs them
    std::size_t next_drop_ = 0;
    std::vector<std::int64_t> chain_ns_;  // by op: earliest possible end, by dependencies alone
    std::int64_t longest_chain_ns_ = 0;
    std::vector<OpId> scratch_;
};

// The run's median returns.
TypicalOverheads typical_returns(const Run& run);

}  // namespace headway::model
