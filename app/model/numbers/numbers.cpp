// What a run cost, and the total that the three stages predict.
#include <algorithm>
#include <bitset>
#include <cmath>
#include <set>
#include <unordered_map>

#include "app/model/analysis/critical_path.h"
#include "app/model/analysis/wait_details.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/numbers/prediction.h"
#include "app/model/numbers/regime.h"
#include "app/model/numbers/sums.h"
#include "app/model/replay/replay.h"
#include "app/model/run/budget.h"
#include "app/model/run/quantiles.h"

namespace headway::model {

namespace {

// Large enough for every lane number, even in a damaged recording.
constexpr std::size_t kLaneNumbers = 256;
using LaneSet = std::bitset<kLaneNumbers>;

std::int64_t rounded(long double ns) {
    return static_cast<std::int64_t>(std::llround(std::clamp(ns, 0.0L, 9e18L)));
}

}  // namespace

// The sums of a walk so far.
class NumbersWalk::Sums {
public:
    explicit Sums(const Run& run);
    [[nodiscard]] bool stale() const { return run_.rescaled() != rescaled_; }
    bool step(double budget_ms);

    Numbers numbers;
    std::vector<LineCost> lines;

private:
    // In this order.
    enum class Stage { waits, works, ops, launches, prediction, done };
    struct LaneNow {
        bool runs = false;  // ran an op in the measured part
        std::int64_t recorded_until_ns = 0;
        std::size_t ops = 0;  // number of ops that have ended; the next two are the last one's times
        std::int64_t last_begin_ns = 0, last_end_ns = 0;
    };

    [[nodiscard]] bool ended(const Op& op) const;
    LineCost& cost_of(core::Line line);
    void take_wait(const Wait& wait);
    void take_work(const Work& work);
    void take_op(OpId id);
    void take_launch(const Launch& launch);
    [[nodiscard]] bool has_ended() const;
    void end_prediction();
    [[nodiscard]] bool ops_are_alike() const;
    void explain();
    // Called after the last item of the stage.
    void end_stage();
    void end();
    // The number of items of the current stage; [next_, count) are left.
    [[nodiscard]] std::size_t count() const;
    void take(std::size_t item);

    const Run& run_;
    const Run::Measured part_;
    const std::uint32_t rescaled_;
    std::vector<LaneNow> lanes_;
    std::size_t op_count_, wait_count_;
    std::int64_t end_ns_;
    std::size_t works_end_, launches_end_;
    Stage stage_ = Stage::waits;
    std::size_t next_ = 0;

    std::unordered_map<core::Line, LineCost> by_line_;
    LineCost* last_line_ = nullptr;
    std::uint64_t full_waits_ = 0;    // waits for everything issued so far, each with new ops since the one before
    OpId last_full_wait_ = 0;         // ops issued before the last of them
    bool waits_between_ = false;      // there were waits of other kinds
    std::int64_t bound_wait_ns_ = 0;  // time in barriers and blockers before the last op
    std::uint64_t issued_ = 0;        // ops with a known issue
    LaneSet lanes_used_;
    std::set<std::uint16_t> signatures_;  // of the ops that have ended
    Quantiles issues_each_, executions_each_, returns_each_, idle_returns_each_;
    RecordedTime recorded_;

    std::vector<std::int64_t> lane_busy_ns_;
    std::unique_ptr<PredictionWalk> prediction_;  // only for a run that has ended
};

NumbersWalk::Sums::Sums(const Run& run)
    : run_(run),
      part_(run.measured()),
      rescaled_(run.rescaled()),
      op_count_(run.op_count()),
      wait_count_(run.waits_.size()),
      end_ns_(run.end_ns()),
      works_end_(run.works_.size()),
      launches_end_(run.launches_.size()) {
    if (run.first_ns_ != kPending) {
        numbers.warmup_ns = part_.begin_ns - run.first_ns_;
    }
    if (const auto& wait = run.open_wait_) {
        const std::int64_t paused_ns = run.paused_in(*wait, part_);
        const std::int64_t ns = clipped(wait->begin_ns, wait->end_ns, part_) - paused_ns;
        add_to(numbers.paused_ns, paused_ns);
        add_to(numbers.blocked_ns, ns);
        recorded_.last_end_ns = wait->end_ns;
        if (ns > 0) {
            add_to(cost_of(wait->line).blocked_ns, ns);
        }
    }
    run.renew(numbers);
    lanes_.resize(run.lanes_.size());
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        const Running* running = run.running(lane);
        const auto& ops = run.lanes_[lane].ops;
        const Op last = ops.empty() ? Op() : run.op(ops.back());
        lane_busy_ns_.push_back(0);
        lanes_[lane] = {running != nullptr && clipped(running->begin_ns, part_.end_ns, part_) > 0,
                        run.recorded_until_ns(lane), ops.size(), last.begin_ns, last.end_ns};
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
    const Budget budget(budget_ms);
    constexpr std::size_t kAtOnce = 1024;
    while (stage_ != Stage::done) {
        if (prediction_ != nullptr && !has_ended()) {
            prediction_.reset();  // the run has grown since: the next walk will predict it
        }
        if (prediction_ != nullptr && prediction_->step(budget_ms)) {
            return true;
        }
        const std::size_t end = count(), stop = std::min(end, next_ + kAtOnce);
        for (; next_ < stop; ++next_) {
            take(next_);
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
        case Stage::done:
            break;
    }
    return 0;
}

void NumbersWalk::Sums::take(std::size_t item) {
    switch (stage_) {
        case Stage::waits:
            return take_wait(run_.waits_[part_.first_wait + item]);
        case Stage::works:
            return take_work(run_.works_[item]);
        case Stage::ops:
            return take_op(part_.first + static_cast<OpId>(item));
        case Stage::launches:
            return take_launch(run_.launches_[item]);
        case Stage::prediction:
        case Stage::done:
            return;
    }
}

void NumbersWalk::Sums::end_stage() {
    if (stage_ == Stage::ops) {
        add_to(numbers.backend_busy_ns, -run_.shared_ns());
    } else if (stage_ == Stage::launches) {
        end();
        if (!numbers.cut_off && numbers.capabilities.issues && has_ended() && Replay::can(run_)) {
            prediction_ = std::make_unique<PredictionWalk>(run_);
        }
    } else if (stage_ == Stage::prediction && prediction_ != nullptr) {
        end_prediction();
        prediction_.reset();
    }
    stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
    next_ = 0;
}

LineCost& NumbersWalk::Sums::cost_of(core::Line line) {
    if (last_line_ == nullptr || last_line_->line != line) {
        last_line_ = &by_line_[line];
        last_line_->line = line;
    }
    return *last_line_;
}

// Waits, their returns, and whether any ops were left to wait for.
void NumbersWalk::Sums::take_wait(const Wait& wait) {
    ++recorded_.records;
    recorded_.last_end_ns = std::max(recorded_.last_end_ns, wait.end_ns);
    if (const std::int64_t paused_ns = run_.paused_in(wait, part_); paused_ns > 0) {
        add_to(numbers.paused_ns, paused_ns);
        numbers.total_ns = std::max<std::int64_t>(numbers.total_ns - paused_ns, 0);
    }
    if (wait.kind == trace::WaitKind::paused) {
        return;
    }
    add_to(numbers.blocked_ns, wait.waited_ns());
    add_to(cost_of(wait.line).blocked_ns, wait.waited_ns());
    if (trace::is_barrier(wait.kind) || trace::is_blocker(wait.kind)) {
        const std::int64_t done_ns = wait.target == 0      ? run_.finish_ns(wait.waits_through, wait.device)
                                     : wait.target_op != 0 ? run_.op(wait.target_op).end_ns
                                                           : wait.begin_ns;
        const auto back_ns = static_cast<long double>(
            std::max<std::int64_t>(wait.end_ns - std::max(wait.begin_ns, std::min(done_ns, wait.end_ns)), 0));
        if (run_.info().foreign && done_ns > wait.end_ns) {
            // The wait was for one stream or a copy: another program's trace does not contain when that ended.
        } else if (done_ns > wait.begin_ns) {
            returns_each_.add(static_cast<std::int64_t>(back_ns));
        } else {
            idle_returns_each_.add(static_cast<std::int64_t>(back_ns));
        }
    }
    // A wait after the last op does not delay any issue.
    if ((trace::is_barrier(wait.kind) || trace::is_blocker(wait.kind)) && wait.issued < part_.last) {
        add_to(bound_wait_ns_, wait.waited_ns());
    }
    if (!run_.is_full(wait)) {
        waits_between_ = true;
    } else if (wait.issued > last_full_wait_) {
        ++full_waits_;
        last_full_wait_ = wait.issued;
    }
}

// The frontend's own work; does not overlap issues and waits.
void NumbersWalk::Sums::take_work(const Work& work) {
    if (const std::int64_t ns = clipped(work.begin_ns, work.end_ns, part_); ns > 0) {
        add_to(numbers.recorded_work_ns, ns);
        ++recorded_.records;
        recorded_.last_end_ns = std::max(recorded_.last_end_ns, work.end_ns);
        add_to(cost_of(work.line).recorded_work_ns, ns);
    }
}

void NumbersWalk::Sums::take_op(OpId id) {
    const Op& op = run_.op(id);
    const std::int64_t issue_ns = run_.issue_ns(id);
    add_to(numbers.op_issue_ns, issue_ns);
    LineCost& cost = cost_of(op.line);
    add_to(cost.issue_ns, issue_ns);
    ++cost.ops;
    if (!op.not_issued) {
        ++issued_;
        ++recorded_.records;
        // Otherwise the op was issued by another op's launch or, in another program's trace, by a call that waited.
        if (issue_ns > 0 || (op.issue_begin_ns == op.issue_end_ns && !run_.info().foreign)) {
            issues_each_.add(issue_ns);
        }
        recorded_.last_end_ns = std::max(recorded_.last_end_ns, op.issue_end_ns);
    }
    if (ended(op)) {
        executions_each_.add(op.end_ns - op.begin_ns);
        add_to(numbers.backend_busy_ns, op.end_ns - op.begin_ns);
        add_to(lane_busy_ns_[run_.stream_of_lane(op.lane)], clipped(op.begin_ns, op.end_ns, part_));
        numbers.parts += run_.parts(id).size();
        lanes_used_.set(run_.stream_of_lane(op.lane));
        signatures_.insert(op.signature);
    }
}

void NumbersWalk::Sums::take_launch(const Launch& launch) {
    if (launch.op >= part_.first && launch.op <= part_.last) {
        add_to(numbers.launch_ns, launch.end_ns - launch.begin_ns);
    }
}

void NumbersWalk::Sums::end() {
    // An op counts as busy time when it has ended. Until then its lane is not idle either; nor is a lane whose
    // state is unknown.
    LaneSet lanes_begun = lanes_used_;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        if (lanes_[lane].runs) {
            lanes_begun.set(lane);
        }
        if (lanes_begun[lane]) {
            add_to(numbers.backend_open_ns, clipped(lanes_[lane].recorded_until_ns, part_.end_ns, part_));
        }
    }
    numbers.backend_idle_ns = std::max<std::int64_t>(
        rounded(static_cast<long double>(lanes_begun.count()) * static_cast<long double>(numbers.total_ns) -
                static_cast<long double>(numbers.backend_busy_ns) - static_cast<long double>(numbers.backend_open_ns)),
        0);
    numbers.t1 = issues_each_.spread();
    numbers.t2 = executions_each_.spread();
    numbers.t3 = (returns_each_.count() > 0 ? returns_each_ : idle_returns_each_).spread();
    numbers.t1_ns = static_cast<double>(numbers.t1.median);
    numbers.t2_ns = static_cast<double>(numbers.t2.median);
    numbers.t3_ns = static_cast<double>(numbers.t3.median);
    recorded_.issue_ns = numbers.op_issue_ns;
    recorded_.wait_ns = numbers.blocked_ns;
    recorded_.paused_ns = numbers.paused_ns;
    recorded_.work_ns = numbers.recorded_work_ns;
    recorded_.issues = issued_;
    numbers.frontend = divided(run_, recorded_);
    numbers.recorder_ns = numbers.frontend.record_ns;

    lines.reserve(by_line_.size());
    for (const auto& [line, cost] : by_line_) {
        lines.push_back(cost);
    }
    std::sort(lines.begin(), lines.end(), [](const LineCost& a, const LineCost& b) { return a.line < b.line; });
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
    numbers.longest_chain_ns = prediction_->longest_chain_ns();
    numbers.h_ns = prediction_->handover_ns();
    if (numbers.ops <= kReplayed && numbers.capabilities.tensors) {
        numbers.handover_ns = critical_path(run_).handover_ns;
    }
    numbers.frontend_ns = std::max<std::int64_t>(numbers.total_ns - numbers.blocked_ns, 0);
    for (const std::int64_t busy_ns : lane_busy_ns_) {
        numbers.busiest_lane_ns = std::max(numbers.busiest_lane_ns, busy_ns);
    }
    choose_regime(numbers, bound_wait_ns_);
    explain();
}

// True if all ops have one name and the same shapes, or nearly equal durations.
bool NumbersWalk::Sums::ops_are_alike() const {
    std::set<std::string> kinds;
    for (const std::uint16_t id : signatures_) {
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
    const bool simple = lanes_used_.count() == 1 && numbers.ops > 0 && !waits_between_ && !numbers.cut_off &&
                        last_full_wait_ == part_.last;
    if (!simple) {
        return;
    }
    const bool each = numbers.ops > 1 && full_waits_ == numbers.ops;
    if (!each && full_waits_ != 1) {
        return;
    }
    // The formula with the sums of all issues, executions and own work instead of N·t1, N·t2 and 0.
    const auto gives = [&](double issues, double executions, double own) {
        return each ? issues + own + executions + n * (h + t3)
                    : std::max(numbers.t1_ns + executions, issues + own + t2) + h + t3;
    };
    const double issues = n * numbers.t1_ns, executions = n * t2, formula = gives(issues, executions, 0);
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
    } else {
        numbers.prediction_formula = each ? "N·(t1+h+t2+t3)" : "max(t1+N·t2, N·t1+t2)+h+t3";
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

Numbers Run::numbers() const {
    NumbersWalk walk(*this);
    walk.step(0);
    return walk.numbers();
}

std::vector<LineCost> Run::line_costs() const {
    NumbersWalk walk(*this);
    walk.step(0);
    return walk.lines();
}

std::optional<double> idle_share(const Numbers& numbers) {
    const double idle = static_cast<double>(numbers.backend_idle_ns);
    const double all =
        idle + static_cast<double>(numbers.backend_busy_ns) + static_cast<double>(numbers.backend_open_ns);
    return all > 0 ? std::optional(idle / all) : std::nullopt;
}

}  // namespace headway::model
