// What a run cost, and what the three stages predict that it should have cost.
#include <algorithm>
#include <bitset>
#include <cmath>
#include <unordered_map>

#include "app/model/run.h"

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

Numbers Run::numbers() const {
    const Measured part = measured();
    Numbers numbers;
    if (first_ns_ != kPending) {
        numbers.warmup_ns = part.begin_ns - first_ns_;
    }

    // Waits, and where nothing was left to do.
    struct Boundary {
        OpId issued = 0;  // the last op before a full wait
        trace::WaitKind kind = trace::WaitKind::waitall;
    };
    std::vector<Boundary> boundaries;
    WaitCounts waits;
    long double returns_ns = 0;
    long double idle_returns_ns = 0;
    std::uint64_t returns = 0;
    std::uint64_t idle_returns = 0;
    for (std::size_t i = part.first_wait; i < part.waits_end; ++i) {
        const Wait& wait = waits_[i];
        if (wait.kind == trace::WaitKind::paused) {
            add_to(numbers.paused_ns, clipped(wait.begin_ns, wait.end_ns, part));
            continue;
        }
        add_to(numbers.blocked_ns, wait.end_ns - wait.begin_ns);
        if (trace::is_barrier(wait.kind) || trace::is_blocker(wait.kind)) {
            const std::int64_t done_ns = wait.target == 0          ? finish_ns(wait.waits_through, wait.device)
                                         : wait.target_writer != 0 ? ops_[wait.target_writer - 1].end_ns
                                                                   : wait.begin_ns;
            const auto back_ns = static_cast<long double>(
                std::max<std::int64_t>(wait.end_ns - std::max(wait.begin_ns, std::min(done_ns, wait.end_ns)), 0));
            if (done_ns > wait.begin_ns) {
                returns_ns += back_ns;
                ++returns;
            } else {
                idle_returns_ns += back_ns;
                ++idle_returns;
            }
        }
        if (is_full(wait)) {
            if (boundaries.empty() || wait.issued > boundaries.back().issued) {
                boundaries.push_back({wait.issued, wait.kind});
            }
        } else if (wait.kind == trace::WaitKind::minibatch_barrier) {
            ++waits.behind;
        }
    }
    if (open_wait_) {
        const bool paused = open_wait_->kind == trace::WaitKind::paused;
        add_to(paused ? numbers.paused_ns : numbers.blocked_ns,
               clipped(open_wait_->begin_ns, open_wait_->end_ns, part));
    }
    const long double t3 = returns > 0        ? returns_ns / static_cast<long double>(returns)
                           : idle_returns > 0 ? idle_returns_ns / static_cast<long double>(idle_returns)
                                              : 0;

    // The frontend's own work. It does not overlap issues and waits.
    for (const Work& work : works_) {
        add_to(numbers.work_ns, clipped(work.begin_ns, work.end_ns, part));
    }

    renew(numbers);

    // Ops, first for the means.
    std::uint64_t issued = 0;  // those of which that is known
    std::uint64_t executed = 0;
    LaneSet lanes_used;
    for (OpId id = part.first; id <= part.last; ++id) {
        const Op& op = ops_[id - 1];
        add_to(numbers.issue_ns, issue_ns(id));
        issued += op.not_issued ? 0 : 1;
        if (op.end_ns != kPending) {
            ++executed;
            add_to(numbers.backend_busy_ns, op.end_ns - op.begin_ns);
            numbers.parts += parts(id).size();
            lanes_used.set(stream_of_lane(op.lane));
        }
    }
    for (const Launch& launch : launches_) {
        if (launch.op >= part.first && launch.op <= part.last) {
            add_to(numbers.launch_ns, launch.end_ns - launch.begin_ns);
        }
    }
    const auto mean = [](std::int64_t sum, std::uint64_t count) {
        return count == 0 ? 0.0L : static_cast<long double>(sum) / static_cast<long double>(count);
    };
    const long double t1 = mean(numbers.issue_ns, issued);
    const long double t2 = mean(numbers.backend_busy_ns, executed);
    add_to(numbers.backend_busy_ns, -shared_ns());

    long double predicted = 0;
    long double execution_terms = 0;
    long double issue_terms = 0;
    long double single_terms = 0;  // of segments of one op, whose two terms are the same
    std::uint64_t segments = 0;
    std::uint64_t longest = 0;
    const auto predict = [&](const Segment& segment, bool waited) {
        const long double execution = segment.execution_term(t1);
        const long double issue = segment.issue_term();
        // What the program measured without a wait after it is the issuing alone.
        const bool cut = !waited && measure_end_ns_ != kPending;
        predicted += cut ? segment.issue_ns + segment.work_ns : std::max(execution, issue) + (waited ? t3 : 0);
        execution_terms += execution;
        issue_terms += issue;
        single_terms += segment.ops == 1 ? std::min(execution, issue) : 0;
        ++segments;
        longest = std::max(longest, segment.ops);
    };
    Segment segment;
    long double handovers = 0;
    auto boundary = boundaries.begin();
    auto work = works_.begin();
    const auto take_work_before = [&](OpId id) {
        for (; work != works_.end() && work->issued < id; ++work) {
            segment.work_ns += static_cast<long double>(clipped(work->begin_ns, work->end_ns, part));
        }
    };
    for (OpId id = part.first; id <= part.last; ++id) {
        const Op& op = ops_[id - 1];
        take_work_before(id);
        segment.work_before_last_ns = segment.work_ns;
        if (segment.ops == 0 && op.end_ns != kPending && !op.not_issued) {
            handovers += static_cast<long double>(std::max<std::int64_t>(op.begin_ns - op.issue_end_ns, 0));
        }
        const auto took_ns = static_cast<long double>(op.end_ns != kPending ? op.end_ns - op.begin_ns : 0);
        if (!op.not_issued) {  // else it only kept its lane busy
            ++segment.ops;
            segment.issue_ns += static_cast<long double>(issue_ns(id));
            segment.last_ns = took_ns;
        }
        segment.on(op.lane).busy_ns += took_ns;
        while (boundary != boundaries.end() && boundary->issued < id) {
            ++boundary;
        }
        if (boundary != boundaries.end() && boundary->issued == id) {
            waits.count(boundary->kind);
            predict(segment, true);
            segment.clear();
        }
    }
    take_work_before(part.last + 1);
    if (!segment.used.empty()) {
        predict(segment, false);
    } else {
        predicted += segment.work_ns;  // after the last wait
    }

    const auto lane_count = static_cast<std::int64_t>(lanes_used.count());
    // An op is busy time when it has ended. Until then its lane is not idle either, nor is one of which nobody can
    // tell.
    LaneSet lanes_begun = lanes_used;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        if (running(lane) != nullptr && clipped(running(lane)->begin_ns, part.end_ns, part) > 0) {
            lanes_begun.set(lane);
        }
        if (lanes_begun[lane]) {
            add_to(numbers.backend_open_ns, clipped(told_until_ns(lane), part.end_ns, part));
        }
    }
    numbers.backend_idle_ns = std::max<std::int64_t>(
        rounded(static_cast<long double>(lanes_begun.count()) * static_cast<long double>(numbers.total_ns) -
                static_cast<long double>(numbers.backend_busy_ns) - static_cast<long double>(numbers.backend_open_ns)),
        0);
    numbers.t1_ns = static_cast<double>(t1);
    numbers.t2_ns = static_cast<double>(t2);
    numbers.t3_ns = static_cast<double>(t3);
    // With a wait after every op both terms are t1 + t2 each time; then the stages themselves decide.
    const bool tie = std::abs(execution_terms - issue_terms) <= 1e-9L * std::max(execution_terms, issue_terms);
    numbers.regime = (tie ? t2 >= t1 : execution_terms > issue_terms) ? Regime::execution_bound : Regime::issue_bound;
    const auto near = [](long double a, long double b) {
        return std::abs(a - b) <= static_cast<long double>(kEvenShare) * std::max(a, b);
    };
    numbers.regime_even = numbers.ops > 0 && !numbers.cut_off &&
                          (tie ? near(t1, t2) : near(execution_terms - single_terms, issue_terms - single_terms));
    numbers.handover_ns = rounded(handovers);
    if (!numbers.cut_off) {
        numbers.predicted_ns = rounded(predicted);
        numbers.prediction_formula =
            formula(segments, waits, longest, static_cast<std::uint64_t>(lane_count), numbers.work_ns > 0);
    }

    numbers.recorder_ns =
        rounded(static_cast<long double>(recorder_ns_per_op()) * static_cast<long double>(numbers.ops));
    return numbers;
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

void Run::renew(Numbers& numbers) const {
    const Measured part = measured();
    numbers.told = told();
    numbers.cut_off = cut_off();
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

std::vector<LineCost> Run::line_costs() const {
    std::unordered_map<core::Line, LineCost> by_line;
    LineCost* last = nullptr;
    const auto cost_of = [&](core::Line line) -> LineCost& {
        if (last == nullptr || last->line != line) {
            last = &by_line[line];
            last->line = line;
        }
        return *last;
    };
    const Measured part = measured();
    for (OpId id = part.first; id <= part.last; ++id) {
        const Op& op = ops_[id - 1];
        LineCost& cost = cost_of(op.line);
        add_to(cost.issue_ns, issue_ns(id));
        ++cost.ops;
    }
    for (std::size_t i = part.first_wait; i < part.waits_end; ++i) {
        const Wait& wait = waits_[i];
        if (wait.kind != trace::WaitKind::paused) {
            add_to(cost_of(wait.line).blocked_ns, wait.end_ns - wait.begin_ns);
        }
    }
    if (open_wait_ && open_wait_->kind != trace::WaitKind::paused) {
        add_to(cost_of(open_wait_->line).blocked_ns, clipped(open_wait_->begin_ns, open_wait_->end_ns, part));
    }
    for (const Work& work : works_) {
        if (const std::int64_t ns = clipped(work.begin_ns, work.end_ns, part); ns > 0) {
            add_to(cost_of(work.line).work_ns, ns);
        }
    }
    std::vector<LineCost> costs;
    costs.reserve(by_line.size());
    for (const auto& [line, cost] : by_line) {
        costs.push_back(cost);
    }
    std::sort(costs.begin(), costs.end(), [](const LineCost& a, const LineCost& b) { return a.line < b.line; });
    return costs;
}

}  // namespace headway::model
