// What a run cost, and the total that the three stages predict.
#include <algorithm>
#include <cmath>
#include <set>

#include "app/model/analysis/critical_path.h"
#include "app/model/analysis/wait_details.h"
#include "app/model/numbers/lane_time.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/numbers/prediction.h"
#include "app/model/numbers/regime.h"
#include "app/model/replay/replay.h"
#include "app/model/run/devices.h"
#include "app/model/run/folding.h"
#include "app/model/run/queries.h"
#include "app/model/run/saved_folds.h"
#include "app/model/run/tally.h"
#include "engine/core/time_budget.h"

namespace headway::model {

namespace {

std::int64_t rounded(long double ns) {
    return static_cast<std::int64_t>(std::llround(std::clamp(ns, 0.0L, 9e18L)));
}

}  // namespace

// The sums of a walk so far.
class NumbersWalk::Sums {
public:
    explicit Sums(const Run& run);
    [[nodiscard]] bool stale() const { return run_.rescaled() != rescaled_ || run_.folded_ops() != folded_ops_; }
    bool step(double budget_ms);
    [[nodiscard]] const Tally& tally() const { return tally_; }

    Numbers numbers;
    std::vector<LineCost> lines;

private:
    // In this order.
    enum class Stage { waits, works, ops, launches, prediction, regime, done };
    struct LaneNow {
        std::size_t ops = 0;  // number of ops that have ended; the next two are the last one's times
        std::int64_t last_begin_ns = 0, last_end_ns = 0;
    };

    [[nodiscard]] bool ended(const Op& op) const;
    [[nodiscard]] bool has_ended() const;
    void end_prediction();
    [[nodiscard]] bool ops_are_alike() const;
    void explain();
    // Called after the last item of the stage.
    void end_stage();
    void end();
    // The number of items of the current stage; [next_, count) are left.
    [[nodiscard]] std::size_t count() const;
    // If the item was folded, and so is in tally_ already: the first item after it that was not. Else the item itself.
    [[nodiscard]] std::size_t after_folded(std::size_t item);
    void take(std::size_t item);

    const Run& run_;
    const Run::Measured part_;
    const std::uint32_t rescaled_;
    const std::uint64_t folded_ops_;
    std::vector<LaneNow> lanes_;
    std::vector<KnownLane> known_;
    std::size_t op_count_, wait_count_;
    std::int64_t end_ns_;
    std::size_t works_end_, launches_end_;
    Stage stage_ = Stage::waits;
    std::size_t next_ = 0;

    Tally tally_;
    std::vector<FoldedPart> folded_;  // counted in tally_ from the beginning
    std::size_t folded_at_ = 0;       // those before have been passed in this stage

    std::unique_ptr<PredictionWalk> prediction_;  // only for a run that has ended
    std::unique_ptr<RegimeWalk> regime_;          // only for a run that was predicted
};

NumbersWalk::Sums::Sums(const Run& run)
    : run_(run),
      part_(run.measured()),
      rescaled_(run.rescaled()),
      folded_ops_(run.folded_ops()),
      op_count_(run.op_count()),
      wait_count_(run.waits_.size()),
      end_ns_(run.end_ns()),
      works_end_(run.works_.size()),
      launches_end_(run.launches_.size()) {
    if (run.first_ns_ != kPending) {
        Run::Measured before;
        before.begin_ns = run.first_ns_;
        before.end_ns = part_.begin_ns;
        before.waits_end = part_.first_wait;
        numbers.warmup_ns = before.end_ns - before.begin_ns - paused_ns_of(run, before);
    }
    if (const auto& wait = run.open_wait_) {
        const std::int64_t paused_ns = paused_in_open_wait(run, part_);
        const std::int64_t ns = clipped(wait->begin_ns, wait->end_ns, part_) - paused_ns;
        add_to(numbers.paused_ns, paused_ns);
        add_to(numbers.blocked_ns, ns);
        tally_.last_end_ns = wait->end_ns;
        if (ns > 0) {
            add_to(tally_.cost_of(wait->line).blocked_ns, ns);
        }
    }
    if (const SavedFolds* saved = run.saved()) {
        // They were computed before the run was saved.
        numbers = saved->numbers;
        if (numbers.lanes_ns == 0) {  // not written by Headway before 2026-11-29
            numbers.lanes_ns = numbers.backend_idle_ns + numbers.backend_busy_ns + numbers.backend_open_ns;
        }
        lines = saved->lines;
        tally_.devices = saved->devices;
        tally_.links = saved->links;
        stage_ = Stage::done;
    }
    renew_totals(run, numbers);
    if (run.folding_ != nullptr) {
        folded_ = run.folded_parts_;
        tally_.merge(run.folding_->tally());
    }
    known_ = known_lanes(run, part_);
    lanes_.resize(run.lanes_.size());
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        const auto& ops = run.lanes_[lane].ops;
        const Op last = ops.empty() ? Op() : run.op(ops.back());
        lanes_[lane] = {ops.size(), last.begin_ns, last.end_ns};
    }
}

// Whether the op had ended when the walk began: a device may report ops long after their end.
bool NumbersWalk::Sums::ended(const Op& op) const {
    if (op.end_ns == kPending || op.lane >= lanes_.size()) {
        return false;
    }
    const LaneNow& then = lanes_[op.lane];
    return run_.lanes_[op.lane].ops.size() == then.ops ||
           (then.ops > 0 &&
            (op.begin_ns < then.last_begin_ns || (op.begin_ns == then.last_begin_ns && op.end_ns <= then.last_end_ns)));
}

bool NumbersWalk::Sums::step(double budget_ms) {
    const core::TimeBudget budget(budget_ms);
    constexpr std::size_t kAtOnce = 1024;
    while (stage_ != Stage::done) {
        if (prediction_ != nullptr && !has_ended()) {
            prediction_.reset();  // the run has grown since: the next walk will predict it
        }
        if (prediction_ != nullptr && prediction_->step(budget_ms)) {
            return true;
        }
        if (regime_ != nullptr && !has_ended()) {
            regime_.reset();
            numbers.regime = Regime::unknown;
        }
        if (regime_ != nullptr && regime_->step(budget_ms)) {
            return true;
        }
        const std::size_t end = count(), stop = std::min(end, next_ + kAtOnce);
        while (next_ < stop) {
            if (const std::size_t after = after_folded(next_); after > next_) {
                next_ = after;
            } else {
                take(next_++);
            }
        }
        if (next_ >= end) {
            end_stage();
        }
        if (budget.spent()) {
            break;
        }
    }
    return stage_ != Stage::done;
}

std::size_t NumbersWalk::Sums::count() const {
    switch (stage_) {
        case Stage::waits:
            return part_.waits_end - std::min(part_.first_wait, part_.waits_end);
        case Stage::works:
            return works_end_;
        case Stage::ops:
            return part_.last >= part_.first ? part_.last - part_.first + 1 : 0;
        case Stage::launches:
            return launches_end_;
        case Stage::prediction:
        case Stage::regime:
        case Stage::done:
            break;
    }
    return 0;
}

std::size_t NumbersWalk::Sums::after_folded(std::size_t item) {
    if (stage_ == Stage::launches) {
        return run_.launches_.is_folded(item) ? run_.launches_.after(item) : item;
    }
    for (; folded_at_ < folded_.size(); ++folded_at_) {
        const FoldedPart& part = folded_[folded_at_];
        std::size_t place = item, first = part.first_work, end = part.works_end;
        if (stage_ == Stage::waits) {
            place = part_.first_wait + item;
            first = part.first_wait;
            end = part.waits_end;
        } else if (stage_ == Stage::ops) {
            place = part_.first + item;
            first = part.first;
            end = std::size_t{part.last} + 1;
        }
        if (place < first) {
            return item;
        }
        if (place < end) {
            return item + (end - place);
        }
    }
    return item;
}

void NumbersWalk::Sums::take(std::size_t item) {
    switch (stage_) {
        case Stage::waits:
            return tally_.add(run_, part_, run_.waits_[part_.first_wait + item]);
        case Stage::works:
            return tally_.add(part_, run_.works_[item]);
        case Stage::ops: {
            const auto id = part_.first + static_cast<OpId>(item);
            return tally_.add(run_, part_, id, ended(run_.op(id)));
        }
        case Stage::launches:
            return tally_.add(part_, run_.launches_[item]);
        case Stage::prediction:
        case Stage::regime:
        case Stage::done:
            return;
    }
}

void NumbersWalk::Sums::end_stage() {
    if (stage_ == Stage::ops) {
        const std::vector<std::int64_t> shared = shared_by_stream(run_);
        for (std::size_t stream = 0; stream < shared.size(); ++stream) {
            add_to(tally_.backend_busy_ns, -shared[stream]);
            if (stream < tally_.lane_busy_ns.size()) {
                add_to(tally_.lane_busy_ns[stream], -shared[stream]);
            }
        }
    } else if (stage_ == Stage::launches) {
        end();
        if (!numbers.cut_off && numbers.capabilities.issues && has_ended() && Replay::can(run_)) {
            prediction_ = std::make_unique<PredictionWalk>(run_);
        }
    } else if (stage_ == Stage::prediction && prediction_ != nullptr) {
        end_prediction();
        prediction_.reset();
        regime_ = std::make_unique<RegimeWalk>(run_, numbers);
    } else if (stage_ == Stage::regime) {
        regime_.reset();
    }
    stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
    next_ = 0;
    folded_at_ = 0;
}

void NumbersWalk::Sums::end() {
    add_to(numbers.paused_ns, tally_.paused_ns);
    add_to(numbers.blocked_ns, tally_.blocked_ns);
    numbers.total_ns = std::max<std::int64_t>(numbers.total_ns - tally_.paused_ns, 0);
    numbers.backend_busy_ns = tally_.backend_busy_ns;
    numbers.op_issue_ns = tally_.op_issue_ns;
    numbers.recorded_work_ns = tally_.recorded_work_ns;
    numbers.launch_ns = tally_.launch_ns;
    numbers.recording_wait_ns = tally_.recording_wait_ns;
    numbers.parts = tally_.parts;
    // An op counts as busy time when it has ended. Until then its lane is not idle either; nor is a lane whose
    // state is unknown.
    std::int64_t busy_ns = -tally_.busy_in_pauses_ns;
    for (const std::int64_t ns : tally_.lane_busy_ns) {
        add_to(busy_ns, ns);
    }
    const LaneTime lanes = lane_time(run_, part_, numbers.total_ns, busy_ns, known_);
    numbers.lanes_ns = lanes.all_ns;
    numbers.backend_idle_ns = lanes.idle_ns;
    numbers.backend_open_ns = lanes.open_ns;
    numbers.t1 = tally_.issues.spread();
    numbers.t2 = tally_.executions.spread();
    numbers.t3 = (tally_.returns.count() > 0 ? tally_.returns : tally_.idle_returns).spread();
    numbers.t1_ns = static_cast<double>(numbers.t1.median);
    numbers.t2_ns = static_cast<double>(numbers.t2.median);
    numbers.t3_ns = static_cast<double>(numbers.t3.median);
    RecordedTime recorded = tally_.recorded();
    recorded.wait_ns = numbers.blocked_ns;
    recorded.paused_ns = numbers.paused_ns;
    numbers.frontend = divided(run_, recorded);
    numbers.recorder_ns = numbers.frontend.record_ns;
    lines = tally_.lines();
}

// A run that still grows is not predicted: the replay would see more ops than the sums. Even if the program has
// ended, some of its records may not have been taken yet.
bool NumbersWalk::Sums::has_ended() const {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        if (run_.lanes_[lane].ops.size() != lanes_[lane].ops) {
            return false;
        }
    }
    return run_.state() != trace::RunState::running && run_.op_count() == op_count_ &&
           run_.waits_.size() == wait_count_ && run_.end_ns() == end_ns_ && run_.lanes_.size() == lanes_.size();
}

void NumbersWalk::Sums::end_prediction() {
    numbers.predicted = true;
    numbers.predicted_ns = prediction_->predicted_ns();
    numbers.prediction_parts = prediction_->parts();
    numbers.held_ns = prediction_->held_ns();
    numbers.longest_chain_ns = prediction_->longest_chain_ns();
    numbers.h_ns = prediction_->handover_ns();
    if (numbers.ops <= kReplayed && numbers.capabilities.tensors) {
        numbers.handover_ns = critical_path(run_).handover_ns;
    }
    numbers.frontend_ns =
        std::max<std::int64_t>(numbers.total_ns - numbers.blocked_ns - numbers.frontend.unknown_ns, 0);
    for (const std::int64_t busy_ns : tally_.lane_busy_ns) {
        numbers.busiest_lane_ns = std::max(numbers.busiest_lane_ns, busy_ns);
    }
    explain();
}

// True if all ops have one name and the same shapes, or nearly equal durations.
bool NumbersWalk::Sums::ops_are_alike() const {
    std::set<std::string> kinds;
    for (const std::uint16_t id : tally_.signatures) {
        const Signature& signature = run_.signature(id);
        kinds.insert(signature.name + " " + signature.shapes);
    }
    constexpr double kEqual = 1.25;
    return kinds.size() <= 1 || static_cast<double>(numbers.t2.p90) <= kEqual * static_cast<double>(numbers.t2.p10);
}

// Applies the chapter's formula if the run is as simple as it assumes: N similar ops, and a frontend that does
// little but issue them. Deviations may change the result by at most kFormulaShare.
void NumbersWalk::Sums::explain() {
    const auto n = static_cast<double>(numbers.ops);
    const auto h = static_cast<double>(numbers.h_ns);
    const double t2 = numbers.t2_ns, t3 = numbers.t3_ns;
    const bool simple = tally_.lanes_used.count() == 1 && numbers.t2.count > 0 && !tally_.waits_between &&
                        !numbers.cut_off && tally_.last_full_wait == part_.last;
    if (!simple) {
        return;
    }
    const bool each = numbers.ops > 1 && tally_.full_waits == numbers.ops;
    if (!each && tally_.full_waits != 1) {
        return;
    }
    // The formula with the sums of all issues, executions and own work instead of N·t1, N·t2 and 0.
    const auto gives = [&](double issues, double executions, double own) {
        return each ? issues + own + executions + n * (h + t3)
                    : std::max(numbers.t1_ns + executions, issues + own + t2) + h + t3;
    };
    const double issues = n * numbers.t1_ns, executions = n * t2, formula = gives(issues, executions, 0);
    const auto predicted = static_cast<double>(numbers.predicted_ns);
    const auto own = static_cast<double>(std::max<std::int64_t>(numbers.frontend_ns - numbers.op_issue_ns, 0));
    const double sums =
        gives(static_cast<double>(numbers.op_issue_ns), static_cast<double>(numbers.backend_busy_ns), 0);
    if (!ops_are_alike()) {
        numbers.no_formula = "the ops are of several kinds and take unequal times";
    } else if (std::abs(sums - formula) > kFormulaShare * formula) {
        numbers.no_formula =
            "the ops' times are unequal: with their sums in place of N times the medians the result is more than a "
            "tenth off";
    } else if (gives(issues, executions, own) - formula > kFormulaShare * formula) {
        numbers.no_formula =
            "the frontend does more than issue ops: its other work changes the result by more than a tenth";
    } else if (std::abs(formula - predicted) > kFormulaShare * predicted) {
        numbers.no_formula =
            "the result is more than a tenth off the predicted total: the formula has medians, and not the times of "
            "each op and hand-over";
    } else {
        numbers.prediction_formula = each ? "N·(t₁+h+t₂+t₃)" : "max(t₁+N·t₂, N·t₁+t₂)+h+t₃";
        numbers.formula_ns = rounded(formula);
    }
}

NumbersWalk::NumbersWalk(const Run& run) : sums_(std::make_unique<Sums>(run)) {}
NumbersWalk::~NumbersWalk() = default;

bool NumbersWalk::stale() const {
    return sums_->stale();
}

bool NumbersWalk::step(double budget_ms) {
    return sums_->step(budget_ms);
}

const Numbers& NumbersWalk::numbers() const {
    return sums_->numbers;
}

const std::vector<LineCost>& NumbersWalk::lines() const {
    return sums_->lines;
}

const Tally& NumbersWalk::tally() const {
    return sums_->tally();
}

void renew_totals(const Run& run, Numbers& numbers) {
    const Run::Measured part = run.measured();
    numbers.capabilities = run.capabilities();
    numbers.cut_off = run.cut_off();
    if (numbers.cut_off) {  // remove the prediction made before it was cut off
        numbers.predicted = false;
        numbers.regime = Regime::unknown;
        numbers.predicted_ns = numbers.formula_ns = numbers.held_ns = 0;
        numbers.prediction_parts.clear();
        numbers.handover_ns.reset();
        numbers.prediction_formula.clear();
        numbers.no_formula.clear();
    }
    numbers.begin_ns = part.begin_ns;
    numbers.end_ns = part.end_ns;
    numbers.ops = part.last >= part.first ? part.last - part.first + 1 : 0;
    numbers.lost_records = run.lost_records();
    numbers.total_ns = std::max<std::int64_t>(part.end_ns - part.begin_ns - numbers.paused_ns, 0);
    numbers.headway_max = measured_peak(run, run.headway());
    numbers.live_bytes_peak = measured_peak(run, run.live_bytes());
    numbers.pending_bytes_peak = measured_peak(run, run.pending_bytes());
    if (run.clock() != trace::ClockKind::virtual_ns) {
        numbers.reserved_bytes_peak = measured_peak(run, run.reserved_bytes());
        if (numbers.reserved_bytes_peak == 0) {
            numbers.reserved_bytes_peak =
                static_cast<std::uint64_t>(std::max<std::int64_t>(run.reserved_bytes().most(), 0));
        }
        // Live tensors are part of the reserved memory; an earlier peak may have hidden a later, smaller one.
        numbers.reserved_bytes_peak = std::max(numbers.reserved_bytes_peak, numbers.live_bytes_peak);
        numbers.rss_bytes_peak = measured_peak(run, run.resident_bytes());
        if (numbers.rss_bytes_peak == 0) {  // the measured part is shorter than the sampling interval
            numbers.rss_bytes_peak = static_cast<std::uint64_t>(std::max<std::int64_t>(run.resident_bytes().most(), 0));
        }
    }
}

Numbers numbers_of(const Run& run) {
    NumbersWalk walk(run);
    walk.step(0);
    return walk.numbers();
}

std::vector<LineCost> line_costs_of(const Run& run) {
    NumbersWalk walk(run);
    walk.step(0);
    return walk.lines();
}

std::optional<double> idle_share(const Numbers& numbers) {
    // Of a run that was cut off it is unknown what the lanes did at the end.
    const std::int64_t known_ns = numbers.lanes_ns - (numbers.cut_off ? numbers.backend_open_ns : 0);
    return known_ns > 0 ? std::optional(static_cast<double>(numbers.backend_idle_ns) / static_cast<double>(known_ns))
                        : std::nullopt;
}

}  // namespace headway::model
