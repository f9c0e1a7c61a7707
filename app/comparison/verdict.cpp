#include "app/comparison/verdict.h"

#include <algorithm>
#include <cmath>

#include "app/comparison/equal_ops.h"
#include "app/comparison/rank_test.h"
#include "app/comparison/sentences.h"

namespace headway::comparison {
namespace {

using Values = std::vector<double>;

template <class Of>
Values values_of(const Side& side, Of of) {
    Values values;
    values.reserve(side.samples.size());
    for (const Sample& sample : side.samples) {
        values.push_back(static_cast<double>(of(sample)));
    }
    return values;
}

bool constant(const MedianAndRange& spread) {
    return spread.least == spread.most;
}

// Computes medians, spreads, the side with more, and the ratio; makes no claim yet.
Finding measured(const Values& a, const Values& b) {
    Finding finding;
    finding.of = {median_and_range(a), median_and_range(b)};
    const double x = finding.of[0].median, y = finding.of[1].median;
    finding.ratio = std::min(x, y) > 0 ? std::max(x, y) / std::min(x, y) : 0;
    return finding;
}

char larger(const Finding& finding) {
    return finding.of[0].median >= finding.of[1].median ? 'A' : 'B';
}
char other(char letter) {
    return letter == 'A' ? 'B' : 'A';
}

void claim_exactly(Finding& finding) {
    const bool same = finding.of[0].median == finding.of[1].median;
    finding.claim = same ? Claim::no_difference : Claim::more;
    finding.subject = same ? '\0' : larger(finding);
}

// The side whose values tend to be larger, as the test sees it: of all pairs with a value of each side, in more than
// half.
char larger_by_rank(const Values& a, const Values& b) {
    std::int64_t ahead = 0;
    for (const double x : a) {
        for (const double y : b) {
            ahead += x > y ? 1 : x < y ? -1 : 0;
        }
    }
    return ahead > 0 ? 'A' : ahead < 0 ? 'B' : '\0';
}

// The claim names medians, so these must differ in the same direction as what was tested.
void claim_by_test(Finding& finding, const Values& a, const Values& b) {
    finding.p = rank_sum_p(a, b);
    const bool apart =
        *finding.p <= kP && finding.of[0].median != finding.of[1].median && larger_by_rank(a, b) == larger(finding);
    finding.claim = apart ? Claim::more : Claim::no_difference;
    finding.subject = apart ? larger(finding) : '\0';
}

// For too few runs for the test: claims only a large difference, of at least `least_apart`.
void claim_if_large(Finding& finding, std::size_t runs, double least_apart) {
    const char more = larger(finding);
    const MedianAndRange& high = finding.of[more == 'A' ? 0 : 1];
    const MedianAndRange& low = finding.of[more == 'A' ? 1 : 0];
    if (high.least >= kLarge * low.most && high.least - low.most >= std::max(least_apart, 1.0)) {
        finding.claim = Claim::more;
        finding.subject = more;
        return;
    }
    finding.claim = runs == 1 ? Claim::one_run : Claim::too_few_runs;
}

void judge(Finding& finding, const Values& a, const Values& b, bool simulated, double least_apart) {
    finding = measured(a, b);
    const std::size_t runs = std::min(a.size(), b.size());
    if (simulated && constant(finding.of[0]) && constant(finding.of[1])) {
        claim_exactly(finding);
    } else if (runs >= kRuns) {
        claim_by_test(finding, a, b);
    } else {
        claim_if_large(finding, runs, least_apart);
    }
}

// Whether longer ops on one side could explain the difference in total.
bool explains(const Side& a, const Side& b, const EqualOps& ops, const Finding& time) {
    if (ops.matched == 0 || ops.ratio <= kOpsApart) {
        return false;
    }
    const double apart_ns = std::abs(time.of[0].median - time.of[1].median);
    return excess_ns(a, b) >= kExplains * apart_ns;
}

void judge_time(Verdict& verdict, const Side& a, const Side& b) {
    const auto total = [](const Sample& sample) { return sample.numbers.total_ns; };
    const Values of_a = values_of(a, total), of_b = values_of(b, total);
    Finding& time = verdict.time;
    time = measured(of_a, of_b);
    if (a.info.simulated != b.info.simulated) {
        time.claim = Claim::not_comparable;
        time.ratio = 0;
        verdict.reason = "one clock is virtual, the other real";
        return;
    }
    if (verdict.simulated && constant(time.of[0]) && constant(time.of[1])) {
        claim_exactly(time);
        time.subject = time.subject == 0 ? '\0' : other(time.subject);  // for time, the subject is the faster one
        return;
    }
    if (verdict.runs == 1) {
        time.claim = Claim::one_run;
        return;
    }
    if (!verdict.simulated && !ops_run_differently(a.info, b.info)) {
        verdict.equal_ops = equal_ops(a, b);
        if (explains(a, b, verdict.equal_ops, time)) {
            time.claim = Claim::not_comparable;
            verdict.reason = verdict.equal_ops.in_every_run
                                 ? "equal ops took unequal times in every run"
                                 : "equal ops took unequal times, but not in every run, as on a busy machine";
            return;
        }
    }
    if (verdict.runs < kRuns) {
        time.claim = Claim::too_few_runs;
        return;
    }
    claim_by_test(time, of_a, of_b);
    time.subject = time.subject == 0 ? '\0' : other(time.subject);
}

// "A failed": why a side cannot be compared. If both sides cannot, the more serious reason.
std::string not_compared(const Side& a, const Side& b) {
    const auto of = [](const Side& side, const char* letter) -> std::string {
        Ended worst = Ended::finished;
        for (const Sample& sample : side.samples) {
            if (sample.ended != Ended::finished && (worst == Ended::finished || sample.ended < worst)) {
                worst = sample.ended;
            }
        }
        if (worst != Ended::finished) {
            return std::string(letter) + " " + words_of(worst);
        }
        return {};
    };
    const std::string of_a = of(a, "A"), of_b = of(b, "B");
    return of_a.empty() || of_b.empty() ? of_a + of_b : of_a + " and " + of_b;
}

// Runs whose frontend could have run and had no core for at least kBusyShare of the time.
std::size_t busy_runs(const Side& side) {
    return static_cast<std::size_t>(std::count_if(side.samples.begin(), side.samples.end(), [](const Sample& sample) {
        const model::Numbers& n = sample.numbers;
        return n.capabilities.settings && n.frontend.descheduled_ns > 0 &&
               static_cast<double>(n.frontend.descheduled_ns) >= kBusyShare * static_cast<double>(n.total_ns);
    }));
}

bool any_of(const Side& side, bool Sample::*what) {
    return std::any_of(side.samples.begin(), side.samples.end(), [what](const Sample& sample) { return sample.*what; });
}

bool all_record(const Side& side, bool model::TraceCapabilities::*what) {
    return std::all_of(side.samples.begin(), side.samples.end(),
                       [what](const Sample& sample) { return sample.numbers.capabilities.*what; });
}

}  // namespace

Verdict verdict_of(const Side& a, const Side& b) {
    Verdict verdict;
    verdict.runs = std::min(a.samples.size(), b.samples.size());
    verdict.warmed_up = a.warmed_up && b.warmed_up;
    verdict.simulated = a.info.simulated && b.info.simulated;
    verdict.names = names_of(a.info, b.info);
    if (verdict.runs == 0) {
        verdict.reason = "there are no runs";
        write_sentence(verdict, a, b);
        return verdict;
    }
    const auto spread = [&](auto of) {
        return std::array{median_and_range(values_of(a, of)), median_and_range(values_of(b, of))};
    };
    verdict.ops = spread([](const Sample& s) { return s.numbers.ops; });
    verdict.waits = spread([](const Sample& s) { return s.waits; });
    const auto memory = [](const Sample& s) { return s.numbers.live_bytes_peak; };
    const auto headway = [](const Sample& s) { return s.numbers.headway_max; };
    verdict.busy_runs = busy_runs(a) + busy_runs(b);
    verdict.races = {any_of(a, &Sample::races), any_of(b, &Sample::races)};
    verdict.unfinished = {any_of(a, &Sample::unfinished), any_of(b, &Sample::unfinished)};
    verdict.reason = not_compared(a, b);
    if (!verdict.reason.empty()) {
        verdict.time = measured(values_of(a, [](const Sample& s) { return s.numbers.total_ns; }),
                                values_of(b, [](const Sample& s) { return s.numbers.total_ns; }));
        verdict.memory = measured(values_of(a, memory), values_of(b, memory));
        verdict.headway = measured(values_of(a, headway), values_of(b, headway));
        verdict.time.claim = verdict.memory.claim = verdict.headway.claim = Claim::not_comparable;
        write_sentence(verdict, a, b);
        return verdict;
    }
    judge_time(verdict, a, b);
    if (all_record(a, &model::TraceCapabilities::memory) && all_record(b, &model::TraceCapabilities::memory)) {
        judge(verdict.memory, values_of(a, memory), values_of(b, memory), verdict.simulated, 0);
    }
    if (all_record(a, &model::TraceCapabilities::issues) && all_record(b, &model::TraceCapabilities::issues)) {
        judge(verdict.headway, values_of(a, headway), values_of(b, headway), verdict.simulated, kLargeOps);
    }
    write_sentence(verdict, a, b);
    return verdict;
}

const char* word_of_time(Claim claim) {
    return claim == Claim::more ? "faster" : word_of(claim);
}

const char* word_of(Claim claim) {
    switch (claim) {
        case Claim::more:
            return "more";
        case Claim::no_difference:
            return "no measurable difference";
        case Claim::not_comparable:
            return "not comparable";
        case Claim::one_run:
            return "one run says nothing";
        case Claim::too_few_runs:
            return "too few runs";
        case Claim::unknown:
            break;
    }
    return "unknown";
}

}  // namespace headway::comparison
