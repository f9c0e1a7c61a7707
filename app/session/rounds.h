// Runs two kinds of settings in turn, several times each, beside whatever the window shows: a round of each to warm up,
// then measured ones. On the simulated device once, which is exact.
//
// Threads: the UI's. Nothing here waits for a program.
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
    // So many measured runs each where they take little time; kRuns where these take less than kBudget_s; else fewer.
    static constexpr std::uint32_t kMost = 10;
    static constexpr double kBudget_s = 20, kShort_s = 5;
    // What to plan for, where a run of each takes so long.
    [[nodiscard]] static std::uint32_t planned_for(double seconds_a_pair);

    Rounds(Options options, Settings a, Settings b);

    // Takes in what happened; true when something has changed.
    bool poll(double budget_ms);
    // Ends the run that goes on. What is complete stays.
    void stop();

    [[nodiscard]] bool over() const { return over_; }
    // Why there is nothing to compare: a run failed, or it was stopped early; one sentence, or "".
    [[nodiscard]] const std::string& problem() const { return problem_; }
    // "Warming up", "Run 3 of 10": for who waits. Planned is not known while it warms up.
    [[nodiscard]] std::string progress() const;
    [[nodiscard]] double share() const;  // done, 0 to 1
    // Why there are fewer runs than a claim about time needs, or "".
    [[nodiscard]] std::string shortfall() const;

    // Once it is over, without a problem: the samples, and of each side the run in the middle.
    struct Result {
        comparison::Side a, b;
        std::unique_ptr<Execution> run_a, run_b;
    };
    [[nodiscard]] std::optional<Result> take();

private:
    struct Kept {
        std::unique_ptr<Execution> run;  // null: too far from the middle to become it
        std::int64_t total_ns = 0;
    };
    struct One {
        Settings settings;
        comparison::Side side;
        std::vector<Kept> runs;
    };
    void begin_run();
    void take_run();
    void end(std::string problem);
    void drop_outer(One& one) const;
    // Every other round begins with B.
    [[nodiscard]] std::size_t side_now() const { return (step_ / 2 + step_) % 2; }
    [[nodiscard]] std::uint32_t round() const { return step_ / 2; }

    Session worker_;
    One sides_[2];
    bool exact_ = false;  // simulated: no warm-up, and one run of each
    std::uint32_t planned_ = 0;
    std::uint32_t step_ = 0;  // runs begun or done; two are a round
    std::int64_t began_ns_ = 0, round_began_ns_ = 0;
    double pair_s_ = 0;
    bool over_ = false, stopped_ = false;
    std::string problem_;
};

}  // namespace headway::session
