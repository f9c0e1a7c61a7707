// What a run cost, and what the three stages predict that it should have cost.
#include <algorithm>
#include <bitset>
#include <cmath>
#include <unordered_map>

#include "app/model/budget.h"
#include "app/model/numbers_walk.h"

namespace headway::model {

namespace {

// As many as an op's lane may have in a damaged recording, too.
constexpr std::size_t kLaneNumbers = 256;
using LaneSet = std::bitset<kLaneNumbers>;

// Sums wrap around instead of overflowing: a damaged recording may hold any times.
void add_to(std::int64_t& sum, std::int64_t value) {
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(value));
}

std::int64_t rounded(long double ns) {
    return static_cast<std::int64_t>(std::llround(std::clamp(ns, 0.0L, 9e18L)));
}

// The part of [begin, end) that lies in the measured part.
std::int64_t clipped(std::int64_t begin, std::int64_t end, const Run::Measured& measured) {
    return std::max<std::int64_t>(std::min(end, measured.end_ns) - std::max(begin, measured.begin_ns), 0);
}

// The ops between two full waits, in the words of the prediction: on lane j the first op can start when it has been
// issued, p_j·t1 after the segment began, and then the lane is busy; the frontend issues all ops, and the last one
// still has to run.
// What the frontend computes by itself (NumPy, say) comes on top of the issuing: before a lane's first op it delays the
// lane, before the last op it delays that one, and after it the frontend alone.
struct Segment {
    struct OnLane {
        std::uint64_t first = 0;  // p_j, from 1; 0: what it ran first had been issued before the trace begins
        long double work_before_ns = 0, busy_ns = 0;
        bool used = false;
    };
    std::uint64_t ops = 0;
    long double issue_ns = 0;
    long double last_ns = 0;  // what the last op takes: the mean would charge a small one with a large one's time
    long double work_ns = 0, work_before_last_ns = 0;               // the frontend's own
    std::vector<OnLane> lanes = std::vector<OnLane>(kLaneNumbers);  // by number
    std::vector<std::size_t> used;                                  // those that have an op of it

    void clear() {
        ops = 0;
        issue_ns = last_ns = work_ns = work_before_last_ns = 0;
        for (const std::size_t lane : used) {
            lanes[lane].used = false;
        }
        used.clear();
    }
    // The lane of the op counted last.
    OnLane& on(std::uint8_t lane) {
        OnLane& one = lanes[lane];
        if (!one.used) {
            one = {ops, work_ns, 0, true};
            used.push_back(lane);
        }
        return one;
    }
    [[nodiscard]] long double execution_term(long double t1) const {
        long double longest = 0;
        for (const std::size_t lane : used) {
            const OnLane& one = lanes[lane];
            longest = std::max(longest, static_cast<long double>(one.first) * t1 + one.work_before_ns + one.busy_ns);
        }
        return longest;
    }
    [[nodiscard]] long double issue_term() const {
        return std::max(issue_ns + work_before_last_ns + last_ns, issue_ns + work_ns);
    }
};

std::string counted(std::uint64_t n, const char* one) {
    return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
}

// Waits as what they are.
struct WaitCounts {
    std::uint64_t barriers = 0, blockers = 0, others = 0;  // that left nothing to do
    std::uint64_t behind = 0;                              // barriers that leave later batches in flight

    void count(trace::WaitKind kind) {
        ++(trace::is_barrier(kind) ? barriers : trace::is_blocker(kind) ? blockers : others);
    }
    [[nodiscard]] std::string words() const {
        std::string text;
        const auto add = [&text](std::uint64_t n, const char* one) {
            if (n > 0) {
                text += (text.empty() ? "" : " and ") + counted(n, one);
            }
        };
        add(barriers, "barrier");
        add(blockers, "blocker");
        add(others, "other wait");
        return text;
    }
};

// `segments`: as many as the waits, or one more with what was issued after the last one.
std::string formula(std::uint64_t segments, const WaitCounts& waits, std::uint64_t longest, std::uint64_t lanes,
                    bool work) {
    if (segments == 0) {
        return "";
    }
    const std::string own = work ? ", n·t1 with the frontend's own work" : "";
    if (longest == 1 && segments > 1) {
        return "N·(t1+t2+t3)" + (work ? std::string(" + the frontend's own work") : std::string());
    }
    std::string text = "max(t1 + N·t2, N·t1 + t2) + t3";
    if (segments > 1) {
        const bool rest = segments > waits.barriers + waits.blockers + waits.others;
        text = "max(t1 + n·t2, n·t1 + t2) + t3, summed over " + waits.words() + (rest ? " and the rest" : "");
    }
    if (waits.behind > 0) {
        text += ", not counting " + counted(waits.behind, "barrier") + " behind";
    }
    if (lanes > 1) {
        text += ", t2 on the busiest of " + std::to_string(lanes) + " lanes";
    }
    return text + own;
}

}  // namespace

// What a walk has summed up so far.
class NumbersWalk::Sums {
public:
    explicit Sums(const Run& run);
    [[nodiscard]] bool stale() const { return run_.rescaled() != rescaled_; }
    bool step(double budget_ms);

    Numbers numbers;
    std::vector<LineCost> lines;

private:
    // One after the other; the ops twice, first for the means.
    enum class Stage { waits, works, ops, launches, segments, done };
    struct Boundary {
        OpId issued = 0;  // the last op before a full wait
        trace::WaitKind kind = trace::WaitKind::waitall;
    };
    struct LaneNow {
        bool runs = false;  // an op, in the measured part
        std::int64_t told_until_ns = 0;
        std::size_t ops = 0;  // that have ended, and the last one's times
        std::int64_t last_begin_ns = 0, last_end_ns = 0;
    };

    [[nodiscard]] bool ended(const Op& op) const;
    LineCost& cost_of(core::Line line);
    void take_wait(const Wait& wait);
    void take_work(const Work& work);
    void take_op(OpId id);
    void take_launch(const Launch& launch);
    void take_in_segment(OpId id);
    void take_work_before(OpId id);
    void predict(bool waited);
    // What the stage is behind its last item.
    void end_stage();
    void end();
    // Of the stage: its items are [next_, count).
    [[nodiscard]] std::size_t count() const;
    void take(std::size_t item);

    const Run& run_;
    const Run::Measured part_;
    const bool end_marked_;
    const std::uint32_t rescaled_;
    std::vector<LaneNow> lanes_;
    std::size_t works_end_, launches_end_;
    Stage stage_ = Stage::waits;
    std::size_t next_ = 0;

    std::unordered_map<core::Line, LineCost> by_line_;
    LineCost* last_line_ = nullptr;
    std::vector<Boundary> boundaries_;
    WaitCounts waits_;
    long double returns_ns_ = 0, idle_returns_ns_ = 0;
    std::uint64_t returns_ = 0, idle_returns_ = 0;
    std::uint64_t issued_ = 0;  // ops of which that is known
    std::uint64_t executed_ = 0;
    LaneSet lanes_used_;
    long double t1_ = 0, t2_ = 0, t3_ = 0;

    Segment segment_;
    std::size_t boundary_ = 0, work_ = 0;  // the next ones
    long double handovers_ = 0, predicted_ = 0, execution_terms_ = 0, issue_terms_ = 0;
    long double single_terms_ = 0;  // of segments of one op, whose two terms are the same
    std::uint64_t segments_ = 0, longest_ = 0;
};

NumbersWalk::Sums::Sums(const Run& run)
    : run_(run),
      part_(run.measured()),
      end_marked_(run.measure_end_ns_ != kPending),
      rescaled_(run.rescaled()),
      works_end_(run.works_.size()),
      launches_end_(run.launches_.size()) {
    if (run.first_ns_ != kPending) {
        numbers.warmup_ns = part_.begin_ns - run.first_ns_;
    }
    if (const auto& wait = run.open_wait_) {
        const bool paused = wait->kind == trace::WaitKind::paused;
        const std::int64_t ns = clipped(wait->begin_ns, wait->end_ns, part_);
        add_to(paused ? numbers.paused_ns : numbers.blocked_ns, ns);
        if (!paused) {
            add_to(cost_of(wait->line).blocked_ns, ns);
        }
    }
    run.renew(numbers);
    lanes_.resize(run.lanes_.size());
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        const Running* running = run.running(lane);
        const auto& ops = run.lanes_[lane].ops;
        const Op last = ops.empty() ? Op() : run.op(ops.back());
        lanes_[lane] = {running != nullptr && clipped(running->begin_ns, part_.end_ns, part_) > 0,
                        run.told_until_ns(lane), ops.size(), last.begin_ns, last.end_ns};
    }
}

// By what was known when the walk began: a device may tell of ops long after their end.
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
        case Stage::segments:
            return part_.last >= part_.first ? part_.last - part_.first + 1 : 0;
        case Stage::launches:
            return launches_end_;
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
        case Stage::segments:
            return take_in_segment(part_.first + static_cast<OpId>(item));
        case Stage::done:
            return;
    }
}

void NumbersWalk::Sums::end_stage() {
    const auto mean = [](long double sum, std::uint64_t count) {
        return count == 0 ? 0.0L : sum / static_cast<long double>(count);
    };
    if (stage_ == Stage::waits) {
        t3_ = returns_ > 0 ? mean(returns_ns_, returns_) : mean(idle_returns_ns_, idle_returns_);
    } else if (stage_ == Stage::ops) {
        t1_ = mean(static_cast<long double>(numbers.issue_ns), issued_);
        t2_ = mean(static_cast<long double>(numbers.backend_busy_ns), executed_);
        add_to(numbers.backend_busy_ns, -run_.shared_ns());
    } else if (stage_ == Stage::segments) {
        end();
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

// Waits, and where nothing was left to do.
void NumbersWalk::Sums::take_wait(const Wait& wait) {
    if (wait.kind == trace::WaitKind::paused) {
        const std::int64_t ns = clipped(wait.begin_ns, wait.end_ns, part_);
        add_to(numbers.paused_ns, ns);
        numbers.total_ns = std::max<std::int64_t>(numbers.total_ns - ns, 0);
        return;
    }
    add_to(numbers.blocked_ns, wait.end_ns - wait.begin_ns);
    add_to(cost_of(wait.line).blocked_ns, wait.end_ns - wait.begin_ns);
    if (trace::is_barrier(wait.kind) || trace::is_blocker(wait.kind)) {
        const std::int64_t done_ns = wait.target == 0          ? run_.finish_ns(wait.waits_through, wait.device)
                                     : wait.target_writer != 0 ? run_.op(wait.target_writer).end_ns
                                                               : wait.begin_ns;
        const auto back_ns = static_cast<long double>(
            std::max<std::int64_t>(wait.end_ns - std::max(wait.begin_ns, std::min(done_ns, wait.end_ns)), 0));
        if (done_ns > wait.begin_ns) {
            returns_ns_ += back_ns;
            ++returns_;
        } else {
            idle_returns_ns_ += back_ns;
            ++idle_returns_;
        }
    }
    if (run_.is_full(wait)) {
        if (boundaries_.empty() || wait.issued > boundaries_.back().issued) {
            boundaries_.push_back({wait.issued, wait.kind});
        }
    } else if (wait.kind == trace::WaitKind::minibatch_barrier) {
        ++waits_.behind;
    }
}

// The frontend's own work. It does not overlap issues and waits.
void NumbersWalk::Sums::take_work(const Work& work) {
    if (const std::int64_t ns = clipped(work.begin_ns, work.end_ns, part_); ns > 0) {
        add_to(numbers.work_ns, ns);
        add_to(cost_of(work.line).work_ns, ns);
    }
}

void NumbersWalk::Sums::take_op(OpId id) {
    const Op& op = run_.op(id);
    const std::int64_t issue_ns = run_.issue_ns(id);
    add_to(numbers.issue_ns, issue_ns);
    LineCost& cost = cost_of(op.line);
    add_to(cost.issue_ns, issue_ns);
    ++cost.ops;
    issued_ += op.not_issued ? 0 : 1;
    if (ended(op)) {
        ++executed_;
        add_to(numbers.backend_busy_ns, op.end_ns - op.begin_ns);
        numbers.parts += run_.parts(id).size();
        lanes_used_.set(run_.stream_of_lane(op.lane));
    }
}

void NumbersWalk::Sums::take_launch(const Launch& launch) {
    if (launch.op >= part_.first && launch.op <= part_.last) {
        add_to(numbers.launch_ns, launch.end_ns - launch.begin_ns);
    }
}

void NumbersWalk::Sums::take_work_before(OpId id) {
    for (; work_ < works_end_ && run_.works_[work_].issued < id; ++work_) {
        const Work& work = run_.works_[work_];
        segment_.work_ns += static_cast<long double>(clipped(work.begin_ns, work.end_ns, part_));
    }
}

void NumbersWalk::Sums::predict(bool waited) {
    const long double execution = segment_.execution_term(t1_);
    const long double issue = segment_.issue_term();
    // What the program measured without a wait after it is the issuing alone.
    const bool cut = !waited && end_marked_;
    predicted_ += cut ? segment_.issue_ns + segment_.work_ns : std::max(execution, issue) + (waited ? t3_ : 0);
    execution_terms_ += execution;
    issue_terms_ += issue;
    single_terms_ += segment_.ops == 1 ? std::min(execution, issue) : 0;
    ++segments_;
    longest_ = std::max(longest_, segment_.ops);
}

void NumbersWalk::Sums::take_in_segment(OpId id) {
    const Op& op = run_.op(id);
    take_work_before(id);
    segment_.work_before_last_ns = segment_.work_ns;
    if (segment_.ops == 0 && ended(op) && !op.not_issued) {
        handovers_ += static_cast<long double>(std::max<std::int64_t>(op.begin_ns - op.issue_end_ns, 0));
    }
    const auto took_ns = static_cast<long double>(ended(op) ? op.end_ns - op.begin_ns : 0);
    if (!op.not_issued) {  // else it only kept its lane busy
        ++segment_.ops;
        segment_.issue_ns += static_cast<long double>(run_.issue_ns(id));
        segment_.last_ns = took_ns;
    }
    segment_.on(op.lane).busy_ns += took_ns;
    while (boundary_ < boundaries_.size() && boundaries_[boundary_].issued < id) {
        ++boundary_;
    }
    if (boundary_ < boundaries_.size() && boundaries_[boundary_].issued == id) {
        waits_.count(boundaries_[boundary_].kind);
        predict(true);
        segment_.clear();
    }
}

void NumbersWalk::Sums::end() {
    take_work_before(part_.last + 1);
    if (!segment_.used.empty()) {
        predict(false);
    } else {
        predicted_ += segment_.work_ns;  // after the last wait
    }

    const auto lane_count = static_cast<std::int64_t>(lanes_used_.count());
    // An op is busy time when it has ended. Until then its lane is not idle either, nor is one of which nobody can
    // tell.
    LaneSet lanes_begun = lanes_used_;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        if (lanes_[lane].runs) {
            lanes_begun.set(lane);
        }
        if (lanes_begun[lane]) {
            add_to(numbers.backend_open_ns, clipped(lanes_[lane].told_until_ns, part_.end_ns, part_));
        }
    }
    numbers.backend_idle_ns = std::max<std::int64_t>(
        rounded(static_cast<long double>(lanes_begun.count()) * static_cast<long double>(numbers.total_ns) -
                static_cast<long double>(numbers.backend_busy_ns) - static_cast<long double>(numbers.backend_open_ns)),
        0);
    numbers.t1_ns = static_cast<double>(t1_);
    numbers.t2_ns = static_cast<double>(t2_);
    numbers.t3_ns = static_cast<double>(t3_);
    // With a wait after every op both terms are t1 + t2 each time; then the stages themselves decide.
    const bool tie = std::abs(execution_terms_ - issue_terms_) <= 1e-9L * std::max(execution_terms_, issue_terms_);
    numbers.regime =
        (tie ? t2_ >= t1_ : execution_terms_ > issue_terms_) ? Regime::execution_bound : Regime::issue_bound;
    const auto near = [](long double a, long double b) {
        return std::abs(a - b) <= static_cast<long double>(kEvenShare) * std::max(a, b);
    };
    numbers.regime_even = numbers.ops > 0 && !numbers.cut_off &&
                          (tie ? near(t1_, t2_) : near(execution_terms_ - single_terms_, issue_terms_ - single_terms_));
    numbers.handover_ns = rounded(handovers_);
    if (!numbers.cut_off) {
        numbers.predicted_ns = rounded(predicted_);
        numbers.prediction_formula =
            formula(segments_, waits_, longest_, static_cast<std::uint64_t>(lane_count), numbers.work_ns > 0);
    }
    numbers.recorder_ns =
        rounded(static_cast<long double>(run_.recorder_ns_per_op()) * static_cast<long double>(numbers.ops));

    lines.reserve(by_line_.size());
    for (const auto& [line, cost] : by_line_) {
        lines.push_back(cost);
    }
    std::sort(lines.begin(), lines.end(), [](const LineCost& a, const LineCost& b) { return a.line < b.line; });
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

const char* regime_word(const Numbers& numbers) {
    return !numbers.told.issues || numbers.cut_off ? ""
           : numbers.regime_even                   ? "about equal"
           : numbers.regime == Regime::issue_bound ? "issue-bound"
                                                   : "execution-bound";
}

std::optional<double> idle_share(const Numbers& numbers) {
    const double idle = static_cast<double>(numbers.backend_idle_ns);
    const double all =
        idle + static_cast<double>(numbers.backend_busy_ns) + static_cast<double>(numbers.backend_open_ns);
    return all > 0 ? std::optional(idle / all) : std::nullopt;
}

// One launch may issue several ops, in traces of other programs: its time counts once.
std::int64_t Run::issue_ns(OpId id) const {
    const Op& op = ops_[id - 1];
    const bool same = id > 1 && ops_[id - 2].issue_begin_ns == op.issue_begin_ns &&
                      ops_[id - 2].issue_end_ns == op.issue_end_ns && !ops_[id - 2].not_issued;
    return same ? 0 : op.issue_end_ns - op.issue_begin_ns;
}

std::int64_t Run::paused_ns() const {
    const Measured part = measured();
    constexpr auto kPaused = trace::WaitKind::paused;
    std::int64_t ns = 0;
    if (open_wait_ && open_wait_->kind == kPaused) {
        ns = clipped(open_wait_->begin_ns, open_wait_->end_ns, part);
    }
    const auto kinds = wait_kinds_.between(part.first_wait, part.waits_end, [this](std::size_t i) {
        return std::pair{static_cast<std::uint32_t>(waits_[i].kind), waits_[i].end_ns - waits_[i].begin_ns};
    });
    for (const auto& sum : kinds) {
        if (sum.kind == static_cast<std::uint32_t>(kPaused)) {
            add_to(ns, static_cast<std::int64_t>(sum.busy_ns));
        }
    }
    // What of them lies outside: waits follow each other, so only the first ones and the last ones can.
    std::size_t first = part.first_wait, end = part.waits_end;
    const auto cut = [&](const Wait& wait) {
        if (wait.kind == kPaused) {
            add_to(ns, clipped(wait.begin_ns, wait.end_ns, part) - (wait.end_ns - wait.begin_ns));
        }
    };
    for (; first < end && waits_[first].begin_ns < part.begin_ns; ++first) {
        cut(waits_[first]);
    }
    for (; first < end && waits_[end - 1].end_ns > part.end_ns; --end) {
        cut(waits_[end - 1]);
    }
    return ns;
}

std::int64_t Run::total_ns() const {
    const Measured part = measured();
    return std::max<std::int64_t>(part.end_ns - part.begin_ns - paused_ns(), 0);
}

void Run::renew(Numbers& numbers) const {
    const Measured part = measured();
    numbers.told = told();
    numbers.cut_off = cut_off();
    if (numbers.cut_off) {  // what was predicted of it before it was
        numbers.predicted_ns = 0;
        numbers.prediction_formula.clear();
        numbers.regime_even = false;
    }
    numbers.begin_ns = part.begin_ns;
    numbers.end_ns = part.end_ns;
    numbers.ops = part.last >= part.first ? part.last - part.first + 1 : 0;
    numbers.lost_records = lost_records();
    numbers.total_ns = std::max<std::int64_t>(part.end_ns - part.begin_ns - numbers.paused_ns, 0);
    numbers.headway_max = measured_peak(headway_);
    numbers.live_bytes_peak = measured_peak(live_);
    numbers.pending_bytes_peak = measured_peak(pending_);
    if (clock() != trace::ClockKind::virtual_ns) {
        numbers.reserved_bytes_peak = measured_peak(reserved_);
        if (numbers.reserved_bytes_peak == 0) {
            numbers.reserved_bytes_peak = static_cast<std::uint64_t>(std::max<std::int64_t>(reserved_.most(), 0));
        }
        numbers.rss_bytes_peak = measured_peak(resident_);
        if (numbers.rss_bytes_peak == 0) {  // shorter than the time between two samples
            numbers.rss_bytes_peak = static_cast<std::uint64_t>(std::max<std::int64_t>(resident_.most(), 0));
        }
    }
}

std::uint64_t Run::measured_peak(const Curve& curve) const {
    const Measured part = measured();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(curve.extremes(part.begin_ns, part.end_ns + 1).most, 0));
}

}  // namespace headway::model
