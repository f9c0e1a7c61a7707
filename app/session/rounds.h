// Runs two settings alternately, several times each, independently of the run shown in the window: one warm-up
// round, then measured rounds. On the simulated device one run of each, which is exact.
//
// Threads: the UI thread. Never waits for a program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/comparison/sample.h"
#include "app/session/session.h"

namespace headway::session {

class Rounds {
public:
    // Measured runs per side: kMost if they take at most kShort_s in total; comparison::kRuns within kBudget_s;
    // otherwise fewer.
    static constexpr std::uint32_t kMost = 10;
    static constexpr double kBudget_s = 20, kShort_s = 5;
    // The number of runs to plan if one run of each side takes this long.
    [[nodiscard]] static std::uint32_t planned_for(double seconds_per_pair);

    Rounds(Options options, Settings a, Settings b);

    // Processes events for about `budget_ms`; true if anything has changed.
    bool poll(double budget_ms);
    // Ends the run in progress. Complete rounds remain.
    void stop();

    [[nodiscard]] bool over() const { return over_; }
    // Why there is no comparison (a run failed, or it was stopped early): one sentence, or "".
    [[nodiscard]] const std::string& problem() const { return problem_; }
    // "warming up A", "B, run 3 of 10". The number of runs is unknown during the warm-up.
    [[nodiscard]] std::string progress() const;
    [[nodiscard]] double share() const;  // completed share, 0 to 1
    // Why there are fewer runs than a claim about time needs, or "".
    [[nodiscard]] std::string shortfall() const;

    // After it is over without a problem: the samples, and the median run of each side.
    struct Result {
        comparison::Side a, b;
        std::unique_ptr<Execution> run_a, run_b;
    };
    [[nodiscard]] std::optional<Result> take();

private:
    struct MeasuredRun {
        std::unique_ptr<Execution> run;  // null: cannot become the median run
        std::int64_t total_ns = 0;
    };
    struct SideRuns {
        Settings settings;
        comparison::Side side;
        std::vector<MeasuredRun> runs;
    };
    void begin_run();
    void take_run();
    void end(std::string problem);
    void drop_outer(SideRuns& one) const;
    // Every other round begins with B.
    [[nodiscard]] std::size_t side_now() const { return (step_ / 2 + step_) % 2; }
    [[nodiscard]] std::uint32_t round() const { return step_ / 2; }

    Session worker_;
    SideRuns sides_[2];
    bool exact_ = false;  // simulated: no warm-up, and one run of each
    std::uint32_t planned_ = 0;
    std::uint32_t step_ = 0;  // runs started or completed; two per round
    std::int64_t round_began_ns_ = 0;
    double pair_s_ = 0;
    bool over_ = false, stopped_ = false;
    std::string problem_;
};

}  // namespace headway::session
