// What is looked up about the op that a hand is on, a little in each frame: the buffers that it holds, and its match in
// the other run that is shown.
//
// Threads: the UI's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/model/analysis/matching_op.h"
#include "app/model/analysis/retained_buffers.h"

namespace headway::ui {

class OpDetails {
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
    [[nodiscard]] const std::vector<model::RetainedBuffer>* retained() const { return buffers_ ? &*buffers_ : nullptr; }
    // The other run's place among those that are shown; -1: there is none, or its ops are still being counted.
    [[nodiscard]] int match_run() const { return match_run_; }
    [[nodiscard]] core::OpId match() const { return match_; }        // 0: it has no such op
    [[nodiscard]] bool match_by_order() const { return by_order_; }  // lines did not say which

private:
    struct Order {
        std::shared_ptr<const model::Run> run;
        std::unique_ptr<model::IssueOrder> issues;
    };
    void leave_op();
    void look_for_holdings(const std::shared_ptr<const model::Run>& run, core::OpId op, std::uint64_t revision);
    void look_for_twin(const Runs& runs, int run, core::OpId op);

    std::shared_ptr<const model::Run> walked_;
    std::optional<model::RetainedBuffersWalk> walk_;
    std::optional<std::vector<model::RetainedBuffer>> buffers_;  // of the op that is walked for
    std::uint64_t walk_revision_ = 0;
    bool walking_ = false, ordering_ = false, by_order_ = false;
    std::vector<Order> orders_;  // of two runs, in their order
    core::OpId match_of_ = 0, match_ = 0;
    int match_of_run_ = -1, match_run_ = -1;
    std::uint64_t found_ = 0;
};

}  // namespace headway::ui
