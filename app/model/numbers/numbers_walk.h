// The numbers of a run, summed up in parts: for ten million ops that takes longer than a frame of the window may.
//
// They are of the moment at which the walk was begun, whatever the run has taken in since; only whether the ops that a
// wait was for had ended is looked at when the walk comes to the wait. It takes about 20 ms for a million ops.
//
// Threads: that which updates the run, which must outlive the walk.
#pragma once

#include <memory>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

class NumbersWalk {
public:
    explicit NumbersWalk(const Run& run);
    ~NumbersWalk();
    NumbersWalk(const NumbersWalk&) = delete;
    NumbersWalk& operator=(const NumbersWalk&) = delete;

    // The run was taken in anew (Run::rescaled()): the walk must not go on.
    [[nodiscard]] bool stale() const;
    // Goes on for about `budget_ms` (0: to the end); true while there is more.
    bool step(double budget_ms);
    // Once there is no more.
    [[nodiscard]] const Numbers& numbers() const;
    // By line, ascending; the measured part. Once there is no more.
    [[nodiscard]] const std::vector<LineCost>& lines() const;

private:
    class Sums;
    std::unique_ptr<Sums> sums_;
};

}  // namespace headway::model
