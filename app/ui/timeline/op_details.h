// Looks up details of the hovered op, a little in each frame: the buffers that it retains, and its matching op in the
// other run.
//
// Threads: the UI's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/model/analysis/matching_op.h"
#include "app/model/analysis/memory/retained_buffers.h"
#include "app/session/execution.h"

namespace headway::ui {

class OpDetails {
public:
    using Runs = std::vector<std::shared_ptr<const model::Run>>;
    // The hovered op (0: none) of one of the runs shown. Works for at most a few milliseconds per call.
    void look(const Runs& runs, int run, core::OpId op, session::RunsVersion version);
    void forget();  // call when no run, or other runs are shown

    [[nodiscard]] bool busy() const { return walking_ || ordering_; }
    // Changes whenever the results do.
    [[nodiscard]] std::uint64_t found() const { return found_; }

    // Null until the lookup is done, and for runs without buffer records. While a run is recording: the result of the
    // last completed lookup.
    [[nodiscard]] const std::vector<model::RetainedBuffer>* retained() const { return buffers_ ? &*buffers_ : nullptr; }
    // Index of the other run among those shown; -1: there is none, or its ops are still being counted.
    [[nodiscard]] int match_run() const { return match_run_; }
    [[nodiscard]] core::OpId match() const { return match_; }        // 0: no matching op
    [[nodiscard]] bool match_by_order() const { return by_order_; }  // matched by order, not by source line

private:
    struct Order {
        std::shared_ptr<const model::Run> run;
        std::unique_ptr<model::IssueOrder> issues;
    };
    void leave_op();
    void look_for_holdings(const std::shared_ptr<const model::Run>& run, core::OpId op, session::RunsVersion version);
    void look_for_match(const Runs& runs, int run, core::OpId op);

    std::shared_ptr<const model::Run> walked_;
    std::optional<model::RetainedBuffersWalk> walk_;
    std::optional<std::vector<model::RetainedBuffer>> buffers_;  // of the op being looked up
    session::RunsVersion walk_version_;
    bool walking_ = false, ordering_ = false, by_order_ = false;
    std::vector<Order> orders_;  // for two runs, in the order shown
    core::OpId match_of_ = 0, match_ = 0;
    int match_of_run_ = -1, match_run_ = -1;
    std::uint64_t found_ = 0;
};

}  // namespace headway::ui
