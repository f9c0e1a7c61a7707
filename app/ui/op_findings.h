// What is looked up about the op that a hand is on, a little in each frame: the buffers that it holds, and its twin in
// the other run that is shown.
//
// Threads: the UI's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/figure/timeline.h"
#include "app/model/holdings.h"
#include "app/model/twins.h"

namespace headway::ui {

class OpFindings {
public:
    // The hand is on this op (0: on none); `revision` changes when anything in the runs does. Works for a few
    // milliseconds.
    void look(const std::vector<figure::TimelineRun>& runs, int run, core::OpId op, std::uint64_t revision);
    void forget();  // runs may be gone

    [[nodiscard]] bool busy() const { return walking_ || ordering_; }
    // Changes with what is found.
    [[nodiscard]] std::uint64_t found() const { return found_; }

    // Null while they are looked up, and where a run knows of no buffers.
    [[nodiscard]] const std::vector<model::Holding>* holdings() const {
        return walk_ && !walking_ && walk_->known() ? &walk_->holdings() : nullptr;
    }
    // The other run's place among those that are shown; -1: there is none, or its ops are still being counted.
    [[nodiscard]] int twin_run() const { return twin_run_; }
    [[nodiscard]] core::OpId twin() const { return twin_; }  // 0: it has no such op

private:
    std::optional<model::HoldingsWalk> walk_;
    const model::Run* walked_ = nullptr;
    std::uint64_t walk_revision_ = 0;
    bool walking_ = false, ordering_ = false;
    std::vector<std::unique_ptr<model::IssueOrder>> orders_;  // as the runs
    core::OpId twin_of_ = 0, twin_ = 0;
    int twin_of_run_ = -1, twin_run_ = -1;
    std::uint64_t found_ = 0;
};

}  // namespace headway::ui
