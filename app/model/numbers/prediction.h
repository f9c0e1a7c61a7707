// How long a run should have taken, and what determines it.
//
// The prediction is a replay (replay.h): the recorded ops with their durations, dependencies and waits, where each
// hand-over to a lane and each return from a wait takes the run's median for its class. The difference to the
// measured total is split into named parts: predicted + parts = measured, to the nanosecond. On the simulated
// device the difference is 0: lanes and returns follow the device model.
//
// The chapter's formulas hold for the simple case: one lane, and a wait after every op or one wait after all of
// them. With medians: N·(t₁+h+t₂+t₃) and max(t₁+N·t₂, N·t₁+t₂)+h+t₃; h is the hand-over, which the chapter omits.
//
// Threads: the thread that updates the run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/model/description/numbers.h"
#include "app/model/run/run.h"

namespace headway::model {

// Works in steps: a replay of ten million ops takes seconds. The run must have ended.
class PredictionWalk {
public:
    explicit PredictionWalk(const Run& run);
    ~PredictionWalk();
    PredictionWalk(const PredictionWalk&) = delete;
    PredictionWalk& operator=(const PredictionWalk&) = delete;

    // Works for about `budget_ms` (0: until done); true if more is left to do.
    bool step(double budget_ms);

    // Call after step() has returned false.
    [[nodiscard]] std::int64_t predicted_ns() const;
    [[nodiscard]] std::vector<PredictionPart> parts() const;
    // The part "held by the learner".
    [[nodiscard]] std::int64_t held_ns() const;
    // The duration of the longest chain of dependent ops, without any overhead.
    [[nodiscard]] std::int64_t longest_chain_ns() const;
    // The median hand-over from the frontend to an idle lane.
    [[nodiscard]] std::int64_t handover_ns() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace headway::model
