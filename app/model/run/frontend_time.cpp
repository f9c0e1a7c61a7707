#include "app/model/description/frontend_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "app/model/description/quantiles.h"
#include "app/model/run/folding.h"
#include "app/model/run/run.h"

namespace headway::model {

namespace {

// A measured event longer than this many medians is a stall: the excess stands for itself only.
constexpr double kStall = 8;
// The cost of a clock reading is taken from the fastest of the measured ones, because readings between ops are as fast
// as those. On a busy machine more than half of the measured ones take ten times as long (measured: 10th percentile 10
// to 13 ns, median 13 to over 100 ns).
constexpr double kStampQuantile = 0.1;
constexpr double kDeviations = 2;  // how many standard errors of the mean are reported as uncertainty

double positive(double value) {
    return std::max(value, 0.0);
}

// Events of one kind, of which a sample was measured; estimates the sum over all of them.
class Sampled {
public:
    void add(const Cost& cost, double net_ns) {
        last_begin_ns_ = cost.begin_ns;
        if (cost.weight <= 1) {
            alone_.push_back(net_ns);
        } else {
            samples_.push_back({net_ns, static_cast<double>(cost.weight)});
        }
    }
    // The frontend lost its core for `ns` while the event measured last was running: subtracts this time from the
    // event, provided that it began at `since_ns` or later.
    void take_from_last(std::int64_t since_ns, double ns, bool last_stands_alone) {
        double* last = nullptr;
        if (last_stands_alone && !alone_.empty()) {
            last = &alone_.back();
        } else if (!last_stands_alone && !samples_.empty()) {
            last = &samples_.back().ns;
        }
        if (last != nullptr && last_begin_ns_ >= since_ns) {
            *last = positive(*last - ns);
        }
    }
    [[nodiscard]] bool any() const { return !alone_.empty() || !samples_.empty(); }

    // Adds the estimated sum over all `count` events to `ns`, and its uncertainty to `open_ns`.
    void sum(std::uint64_t count, double& ns, double& open_ns) const {
        std::vector<double> all;
        for (const Sample& sample : samples_) {
            all.push_back(sample.ns);
        }
        if (all.empty()) {
            all = alone_;
        }
        if (all.empty()) {
            return;
        }
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
        std::nth_element(all.begin(), middle, all.end());
        const double most = kStall * std::max(*middle, 1.0);
        double known = 0, squares = 0, mean = 0, deviation = 0;
        for (double& one : all) {
            one = std::min(one, most);
            mean += one / static_cast<double>(all.size());
        }
        for (const double one : all) {
            deviation += (one - mean) * (one - mean) / static_cast<double>(all.size());
        }
        for (const double one : alone_) {
            ns += one;
            known += 1;
        }
        for (const Sample& sample : samples_) {
            ns += sample.weight * std::min(sample.ns, most) + positive(sample.ns - most);
            known += sample.weight;
            squares += (sample.weight - 1) * (sample.weight - 1);
        }
        const double rest = positive(static_cast<double>(count) - known);
        ns += rest * mean;
        squares += rest * rest / static_cast<double>(all.size());
        open_ns += kDeviations * std::sqrt(squares * deviation);
    }
    [[nodiscard]] Spread each() const {
        Quantiles quantiles;
        for (const double one : alone_) {
            quantiles.add(std::llround(one));
        }
        for (const Sample& sample : samples_) {
            quantiles.add(std::llround(sample.ns));
        }
        return quantiles.spread();
    }

private:
    struct Sample {
        double ns, weight;
    };
    std::vector<double> alone_;  // events of weight 1
    std::vector<Sample> samples_;
    std::int64_t last_begin_ns_ = 0;
};

// Outside of folded parts.
std::uint64_t drops_between(const Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    std::uint64_t count = 0;
    run.each_drop([&](core::BufferId, std::int64_t ns, core::OpId) { count += ns >= begin_ns && ns < end_ns ? 1 : 0; });
    return count;
}

}  // namespace

void FrontendTime::add(const FrontendTime& other) {
    issue_ns += other.issue_ns;
    work_ns += other.work_ns;
    drop_ns += other.drop_ns;
    wait_ns += other.wait_ns;
    record_ns += other.record_ns;
    descheduled_ns += other.descheduled_ns;
    paused_ns += other.paused_ns;
    unnamed_ns += other.unnamed_ns;
}

FrontendTime divided(const Run& run, const RecordedTime& recorded) {
    const Run::Measured part = run.measured();
    FrontendPeriod period{part.begin_ns, part.end_ns};
    period.drops = drops_between(run, part.begin_ns, part.end_ns);
    const Folding* folding = run.folding();
    if (folding == nullptr) {
        return divided(run, period, recorded);
    }
    period.left_out_ns = folding->covered_ns();
    period.left_out_language_ns = folding->language_ns();
    period.drops += folding->kept_drops();
    RecordedTime rest = recorded;
    const RecordedTime folded = folding->tally().recorded();
    rest.issue_ns -= folded.issue_ns;
    rest.wait_ns -= folded.wait_ns;
    rest.paused_ns -= folded.paused_ns;
    rest.work_ns -= folded.work_ns;
    rest.issues -= folded.issues;
    rest.records -= folded.records;
    FrontendTime time = divided(run, period, rest);
    time.add(folding->frontend());
    return time;
}

FrontendTime divided(const Run& run, const FrontendPeriod& part, const RecordedTime& recorded,
                     std::int64_t* language_of_issues_ns) {
    const std::int64_t length_ns = part.end_ns - part.begin_ns - part.left_out_ns;
    FrontendTime time;
    time.wait_ns = recorded.wait_ns;
    time.paused_ns = recorded.paused_ns;

    Sampled records, drops;
    Quantiles stamps;
    double sampling_ns = 0, without_core_ns = 0, without_core_issuing_ns = 0;
    std::int64_t language_before_ns = part.language_before_ns, language_ns = 0;
    std::optional<PageFaults> faults_before, faults;
    bool last_alone = false, last_drop = false;
    for (const Cost& cost : run.costs()) {
        const bool totals = cost.kind == trace::CostKind::totals;
        if (totals || cost.kind == trace::CostKind::recording) {
            std::int64_t& latest_ns = cost.begin_ns <= part.begin_ns ? language_before_ns : language_ns;
            latest_ns = std::max(latest_ns, cost.language_ns);
        }
        if (totals) {
            (cost.begin_ns <= part.begin_ns ? faults_before : faults) = {cost.minor_faults, cost.major_faults};
        }
        if (cost.begin_ns >= part.end_ns && length_ns > 0) {
            break;
        }
        if (cost.begin_ns < part.begin_ns) {
            continue;
        }
        sampling_ns += cost.sampling_ns;
        const auto took_ns = static_cast<double>(cost.end_ns - cost.begin_ns);
        switch (cost.kind) {
            case trace::CostKind::recording:
                records.add(cost, took_ns);
                stamps.add(std::llround(cost.stamp_ns * kCostUnits));
                break;
            case trace::CostKind::drop:
                drops.add(cost, positive(took_ns - cost.stamp_ns));
                break;
            case trace::CostKind::not_scheduled:
            case trace::CostKind::not_scheduled_issue: {
                const double ns = std::min(static_cast<double>(cost.amount_ns), took_ns);
                (cost.kind == trace::CostKind::not_scheduled ? without_core_ns : without_core_issuing_ns) += ns;
                (last_drop ? drops : records).take_from_last(cost.begin_ns, ns, last_alone);
                break;
            }
            case trace::CostKind::totals:
                break;
        }
        if (cost.kind == trace::CostKind::recording || cost.kind == trace::CostKind::drop) {
            last_alone = cost.weight <= 1;
            last_drop = cost.kind == trace::CostKind::drop;
        }
    }
    if (faults && faults_before) {
        time.faults = {faults->minor - faults_before->minor, faults->major - faults_before->major};
    }
    time.record_each = records.each();
    time.drop_each = drops.each();

    // Subtract from the issues the language's share, clock readings, and time without a core.
    const double language = positive(static_cast<double>(std::max(language_ns, language_before_ns) -
                                                         language_before_ns - part.left_out_language_ns));
    if (language_of_issues_ns != nullptr) {
        *language_of_issues_ns = std::llround(language);
    }
    double issue = static_cast<double>(recorded.issue_ns);
    const double in_language = std::min(language, issue);
    issue -= in_language;
    const double stalled = std::min(without_core_issuing_ns, issue);
    issue -= stalled;
    const double stamping = std::min(
        static_cast<double>(stamps.at(kStampQuantile)) / kCostUnits * static_cast<double>(recorded.issues), issue);
    issue -= stamping;

    // Time between the records.
    const std::int64_t known_ns = recorded.issue_ns + recorded.wait_ns + recorded.paused_ns;
    double left = positive(static_cast<double>(length_ns - known_ns)) + in_language;
    double record = 0, drop = 0, open = 0;
    records.sum(recorded.records, record, open);
    if (drops.any()) {
        drops.sum(part.drops, drop, open);
    }
    record += sampling_ns;
    const double wanted = record + drop + without_core_ns;
    const double fits = wanted > left ? left / wanted : 1;
    left -= wanted * fits;
    // What the frontend did after its last record is unknown; likewise where records are missing.
    const double after = positive(static_cast<double>(part.end_ns - std::max(recorded.last_end_ns, part.begin_ns)));
    const bool complete = run.capabilities().settings && run.lost_records() == 0;
    const double named = complete ? left : std::min(left, static_cast<double>(recorded.work_ns));
    const double unnamed = std::min(left, std::max(open, left - named) + after);

    time.record_ns = std::llround(record * fits + stamping);
    time.drop_ns = std::llround(drop * fits);
    time.descheduled_ns = std::llround(without_core_ns * fits + stalled);
    time.unnamed_ns = std::llround(unnamed);
    time.unknown_ns = run.capabilities().settings ? 0 : std::llround(std::min(after, unnamed));
    time.issue_ns = std::llround(issue);
    // The rest is the program's own work. If rounding made it negative, subtract the deficit from the largest other
    // part.
    time.work_ns = length_ns - (time.sum_ns() - time.work_ns);
    if (time.work_ns < 0) {
        std::int64_t* const parts[] = {&time.issue_ns, &time.record_ns, &time.drop_ns, &time.descheduled_ns,
                                       &time.unnamed_ns};
        **std::max_element(std::begin(parts), std::end(parts), [](auto* a, auto* b) { return *a < *b; }) +=
            time.work_ns;
        time.work_ns = 0;
    }
    return time;
}

}  // namespace headway::model
