// A recorded run once more: the same ops in the same order, with the same dependencies and durations, under other waits
// or with typical overheads. What began when is worked out anew by a discrete-event simulation of the frontend (issues,
// its own work, waits, returns) and the lanes. It knows nothing of caches that get cold or memory that runs out.
//
// On the simulated device the lanes are those of the device itself (VirtualLanes): the choice of a lane and contention
// follow the rules that the run followed, so a replay with all waits gives the recorded times, and one without some of
// them gives those of the run that leaves them out, both to the nanosecond. Elsewhere ops stay in their lanes, and each
// op keeps its duration and its hand-over: the time from when nothing was missing any more to its begin.
//
// Private to app/model; see what_if.h and prediction.h for what it is used for.
//
// It is of the ops and waits that the run had when it was made; what the run takes in between two steps is left out.
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

// Medians over the measured part (of an even number, the lower one) by what an op or a wait followed. They differ by
// orders of magnitude: a lane that spins is there at once, one that sleeps has to be woken.
struct TypicalOverheads {
    static constexpr std::int64_t kAsleepNs = 50'000;  // lanes and frontend spin so long before they sleep
    static constexpr std::size_t kClasses = 5;
    static constexpr std::int64_t kUnknown = -1;  // the measured part has none: each keeps its own
    // Hand-overs: behind the op before in the lane; from the frontend to a lane that has been idle for less, and for
    // longer; from another lane to one that has been idle for less, and for longer. Per device.
    std::int64_t handover_ns[core::kMaxDevices][kClasses] = {};
    std::size_t from_frontend_awake = 0, from_frontend_asleep = 0;  // how many there were on the first device
    // Returns: nothing was left to wait for; it was over soon; later.
    std::int64_t return_ns[3] = {};
};

class Replay {
public:
    struct Wish {
        std::function<bool(std::size_t wait)> is_left_out;  // empty: no wait is
        const TypicalOverheads* handovers = nullptr;        // in place of the recorded ones
        const TypicalOverheads* returns = nullptr;
        TypicalOverheads* measure_handovers = nullptr;  // is filled with the run's own
        bool find_chain = false;                        // see longest_chain_ns()
    };
    // Not where waits took years, or the run: such times stand in damaged recordings only, and would overflow.
    static bool can(const Run& run);
    Replay(const Run& run, Wish wish);
    ~Replay();
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    // Goes on for about `budget_ms` (0: to the end); true while there is more.
    bool step(double budget_ms);

    // Once there is no more.
    [[nodiscard]] std::int64_t total_ns() const { return total_ns_; }
    [[nodiscard]] std::vector<WhatIfRun::Times> op_times() const;
    // What the measured ops would take if each began as soon as the ops that it depends on have ended.
    [[nodiscard]] std::int64_t longest_chain_ns() const { return longest_chain_ns_; }

    class Backend;

private:
    void take_mark(OpId issued, std::size_t wait);
    void take_op(OpId id);
    void take_wait(std::size_t index);
    void take_drops(OpId issued, std::int64_t until_ns);
    void frontend_at(std::int64_t then_ns);
    void finish();

    const Run& run_;
    Wish wish_;
    Run::Measured part_;
    const OpId op_count_;  // of the run when this was made, as the next two
    const std::size_t wait_count_;
    const std::optional<std::int64_t> program_end_ns_;
    std::unique_ptr<Backend> backend_;
    OpId next_op_ = 1;
    std::size_t next_wait_ = 0;
    bool done_ = false;
    std::int64_t shift_ns_ = 0;  // the frontend's time now, less its time then
    std::int64_t begin_ns_ = 0, end_ns_ = 0, paused_ns_ = 0;
    std::int64_t frontend_end_ns_ = INT64_MIN, then_frontend_end_ns_ = INT64_MIN;
    bool begun_ = false, ended_ = false;
    std::int64_t total_ns_ = 0;
    struct Drop {
        BufferId buffer;
        std::int64_t ns;
        OpId issued;  // ops before it
    };
    std::vector<Drop> drops_;  // where the backend needs them
    std::size_t next_drop_ = 0;
    std::vector<std::int64_t> chain_ns_;  // of each op: until its end, by dependencies alone
    std::int64_t longest_chain_ns_ = 0;
    std::vector<OpId> scratch_;
};

// The median returns of a run.
TypicalOverheads typical_returns(const Run& run);

}  // namespace headway::model
