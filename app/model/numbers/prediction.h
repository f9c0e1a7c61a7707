// What a run should have taken, and what bounds it.
//
// The prediction is a replay (replay.h): the recorded ops with their own durations, dependencies and waits, and for
// each hand-over to a lane and each return from a wait the run's own median of those alike. What is left to the
// measured total has names: predicted + parts = measured, to the nanosecond. On the simulated device nothing is left:
// lanes and returns follow its own rules, and predicted = measured.
//
// The chapter's formulas hold for the simple case: one lane, and a wait after every op or one after all of them. With
// medians, N·(t1+h+t2+t3) and max(t1+N·t2, N·t1+t2)+h+t3; h is the hand-over, which the chapter leaves out.
//
// Threads: that which updates the run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

// In pieces, as a replay of ten million ops takes seconds. The run must have ended.
class PredictionWalk {
public:
    explicit PredictionWalk(const Run& run);
    ~PredictionWalk();
    PredictionWalk(const PredictionWalk&) = delete;
    PredictionWalk& operator=(const PredictionWalk&) = delete;

    // Goes on for about `budget_ms` (0: to the end); true while there is more.
    bool step(double budget_ms);

    // Once there is no more.
    [[nodiscard]] std::int64_t predicted_ns() const;
    [[nodiscard]] std::vector<PredictionPart> parts() const;
    // What the longest chain of dependent ops takes by itself.
    [[nodiscard]] std::int64_t longest_chain_ns() const;
    // The median hand-over from the frontend to a lane that had nothing to do.
    [[nodiscard]] std::int64_t handover_ns() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace headway::model
