// Computes the numbers of a run in steps: for ten million ops this takes longer than one frame of the window.
//
// The numbers describe the run at the time of construction, even if it is updated meanwhile. One exception: whether
// the ops that a wait was for had ended is checked when the walk reaches that wait. Takes about 20 ms per million
// ops.
//
// Threads: the thread that updates the run. The run must outlive the walk.
#pragma once

#include <memory>
#include <vector>

#include "app/model/description/numbers.h"
#include "app/model/run/run.h"
#include "app/model/run/tally.h"

namespace headway::model {

class NumbersWalk {
public:
    explicit NumbersWalk(const Run& run);
    ~NumbersWalk();
    NumbersWalk(const NumbersWalk&) = delete;
    NumbersWalk& operator=(const NumbersWalk&) = delete;

    // The run was read again (Run::rescaled()) since the walk began: do not call step().
    [[nodiscard]] bool stale() const;
    // Works for about `budget_ms` (0: until done); true if more is left to do.
    bool step(double budget_ms);
    // Call after step() has returned false.
    [[nodiscard]] const Numbers& numbers() const;
    // By line, ascending; only the measured part. Call after step() has returned false.
    [[nodiscard]] const std::vector<LineCost>& lines() const;
    // The sums that the numbers were made of. Call after step() has returned false.
    [[nodiscard]] const Tally& tally() const;

private:
    class Sums;
    std::unique_ptr<Sums> sums_;
};

// Visits all measured ops at once.
[[nodiscard]] Numbers numbers_of(const Run& run);
[[nodiscard]] std::vector<LineCost> line_costs_of(const Run& run);  // by line, ascending; the measured part
// Updates total, number of ops and peaks of earlier numbers, without visiting the ops.
void renew_totals(const Run& run, Numbers& numbers);

}  // namespace headway::model
