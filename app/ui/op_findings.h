// What is looked up about the op that a hand is on, a little in each frame: the buffers that it holds, and its twin in
// the other run that is shown.
//
// Threads: the UI's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/model/holdings.h"
#include "app/model/twins.h"

namespace headway::ui {

class OpFindings {
public:
    using Runs = std::vector<std::shared_ptr<const model::Run>>;
    // The hand is on this op (0: on none) of one of the runs that are shown; `revision` changes when anything in them
    // does. Works for a few milliseconds.
    void look(const Runs& runs, int run, core::OpId op, std::uint64_t revision);
    void forget();  // no run is shown, or others are

    [[nodiscard]] bool busy() const { return walking_ || ordering_; }
    // Changes with what is found.
    [[nodiscard]] std::uint64_t found() const { return found_; }

    // Null until they have been looked up, and where a run knows of no buffers. Of a run that goes on: as they were
    // when that was done last.
    [[nodiscard]] const std::vector<model::Holding>* holdings() const { return holdings_ ? &*holdings_ : nullptr; }
    // The other run's place among those that are shown; -1: there is none, or its ops are still being counted.
    [[nodiscard]] int twin_run() const { return twin_run_; }
    [[nodiscard]] core::OpId twin() const { return twin_; }  // 0: it has no such op
    [[nodiscard]] bool twin_by_order() const { return by_order_; }  // lines did not say which

private:
    struct Order {
        std::shared_ptr<const model::Run> run;
        std::unique_ptr<model::IssueOrder> issues;
    };
    void leave_op();
    void look_for_holdings(const std::shared_ptr<const model::Run>& run, core::OpId op, std::uint64_t revision);
    void look_for_twin(const Runs& runs, int run, core::OpId op);

    std::shared_ptr<const model::Run> walked_;
    std::optional<model::HoldingsWalk> walk_;
    std::optional<std::vector<model::Holding>> holdings_;  // of the op that is walked for
    std::uint64_t walk_revision_ = 0;
    bool walking_ = false, ordering_ = false, by_order_ = false;
    std::vector<Order> orders_;  // of two runs, in their order
    core::OpId twin_of_ = 0, twin_ = 0;
    int twin_of_run_ = -1, twin_run_ = -1;
    std::uint64_t found_ = 0;
};

}  // namespace headway::ui
