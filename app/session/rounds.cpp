#include "app/session/rounds.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/comparison/verdict.h"
#include "engine/core/clock.h"

namespace headway::session {

std::uint32_t Rounds::planned_for(double seconds_per_pair) {
    const auto fit = [seconds_per_pair](double seconds) {
        return static_cast<std::uint32_t>(std::clamp(seconds / std::max(seconds_per_pair, 1e-6), 0.0, 1e6));
    };
    const auto least = static_cast<std::uint32_t>(comparison::kRuns);
    return std::max({std::min(fit(kShort_s), kMost), std::min(fit(kBudget_s), least), 1u});
}

Rounds::Rounds(Options options, Settings a, Settings b)
    : worker_({std::move(options.runner), options.trace_bytes_limit, false}) {
    sides_[0].settings = std::move(a);
    sides_[1].settings = std::move(b);
    exact_ = sides_[0].settings.device == "simulated" && sides_[1].settings.device == "simulated";
    planned_ = exact_ ? 1 : 0;
    for (SideRuns& one : sides_) {
        one.side.warmed_up = !exact_;
    }
    round_began_ns_ = core::monotonic_ns();
    begin_run();
}

void Rounds::begin_run() {
    worker_.settings = sides_[side_now()].settings;
    if (auto started = worker_.start(); !started) {
        end(started.error().message);
    }
}

bool Rounds::poll(double budget_ms) {
    if (over_) {
        return false;
    }
    worker_.poll(budget_ms);
    if (worker_.live() || worker_.behind()) {
        return false;
    }
    take_run();
    return true;
}

void Rounds::take_run() {
    SideRuns& one = sides_[side_now()];
    const char letter = side_now() == 0 ? 'A' : 'B';
    auto run = worker_.take();
    if (!run || !run->comparable()) {
        const bool no_ops = run && run->phase() == Phase::finished && run->run()->op_count() == 0;
        const std::string why = run ? run->ending() : std::string();
        end(stopped_ ? std::string()
                     : std::string("Not compared: a run of ") + letter +
                           (no_ops ? " issued no ops." : " did not finish." + (why.empty() ? "" : " " + why)));
        return;
    }
    if (exact_ || round() > 0) {
        one.side.info = run->run()->info();
        one.side.samples.push_back(comparison::sample_of(*run->run(), run->numbers(), true));
        const std::int64_t total_ns = run->numbers().total_ns;
        one.runs.push_back({std::move(run), total_ns});
        drop_outer(one);
    }
    ++step_;
    if (step_ % 2 == 0) {
        pair_s_ = static_cast<double>(core::monotonic_ns() - round_began_ns_) / 1e9;
        round_began_ns_ = core::monotonic_ns();
        if (planned_ == 0) {
            planned_ = planned_for(pair_s_);
        }
    }
    if (stopped_ || step_ >= 2 * (planned_ + (exact_ ? 0 : 1))) {
        if (planned_ != 0) {
            end({});
            return;
        }
    }
    begin_run();
}

// A measured run can only become the median run if at most half of the planned runs are on either side of it. Frees
// the recordings of all other runs.
void Rounds::drop_outer(SideRuns& one) const {
    const std::size_t half = planned_ / 2 + 1;
    for (MeasuredRun& measured : one.runs) {
        const auto below = std::count_if(one.runs.begin(), one.runs.end(),
                                         [&](const MeasuredRun& other) { return other.total_ns < measured.total_ns; });
        const auto above = std::count_if(one.runs.begin(), one.runs.end(),
                                         [&](const MeasuredRun& other) { return other.total_ns > measured.total_ns; });
        if (static_cast<std::size_t>(std::max(below, above)) > half) {
            measured.run.reset();
        }
    }
}

void Rounds::stop() {
    if (!over_) {
        stopped_ = true;
        worker_.stop_at_once();
        end({});
    }
}

void Rounds::end(std::string problem) {
    over_ = true;
    worker_.reset();
    problem_ = std::move(problem);
    // Only complete rounds count.
    const std::size_t runs = std::min(sides_[0].runs.size(), sides_[1].runs.size());
    for (SideRuns& one : sides_) {
        one.runs.resize(runs);
        one.side.samples.resize(runs);
    }
    if (problem_.empty() && runs == 0) {
        problem_ = "Stopped before each side had been measured: nothing is compared.";
    }
}

std::string Rounds::progress() const {
    const std::uint32_t warm = exact_ ? 0 : 2;
    if (step_ < warm) {
        return std::string("warming up ") + (side_now() == 0 ? "A" : "B");
    }
    return std::string(1, side_now() == 0 ? 'A' : 'B') + ", run " + std::to_string((step_ - warm) / 2 + 1) + " of " +
           std::to_string(planned_);
}

double Rounds::share() const {
    const std::uint32_t all = 2 * ((planned_ == 0 ? kMost : planned_) + (exact_ ? 0 : 1));
    return over_ ? 1 : static_cast<double>(step_) / static_cast<double>(all);
}

std::string Rounds::shortfall() const {
    const std::size_t runs = sides_[0].side.samples.size();
    if (exact_ || runs >= comparison::kRuns || !over_ || !problem_.empty()) {
        return {};
    }
    if (stopped_) {
        return "Stopped after " + std::to_string(runs) + (runs == 1 ? " run each." : " runs each.");
    }
    char text[120];
    std::snprintf(text, sizeof text, "Only %zu %s each: a run of A and a run of B together take %.1f s.", runs,
                  runs == 1 ? "run" : "runs", pair_s_);
    return text;
}

std::optional<Rounds::Result> Rounds::take() {
    if (!over_ || !problem_.empty()) {
        return std::nullopt;
    }
    Result result{std::move(sides_[0].side), std::move(sides_[1].side), nullptr, nullptr};
    for (std::size_t i = 0; i < 2; ++i) {
        auto& runs = sides_[i].runs;
        // The median run. If the series was stopped early and that recording was freed, the nearest one that still
        // exists.
        std::vector<std::int64_t> totals;
        for (const MeasuredRun& measured : runs) {
            totals.push_back(measured.total_ns);
        }
        const std::int64_t middle = totals[comparison::middle_of(totals)];
        MeasuredRun* nearest = nullptr;
        for (MeasuredRun& measured : runs) {
            if (measured.run &&
                (nearest == nullptr || std::abs(measured.total_ns - middle) < std::abs(nearest->total_ns - middle))) {
                nearest = &measured;
            }
        }
        if (nearest == nullptr) {
            return std::nullopt;
        }
        (i == 0 ? result.run_a : result.run_b) = std::move(nearest->run);
    }
    return result;
}

}  // namespace headway::session
