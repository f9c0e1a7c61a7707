#include "app/model/explanation/explanation.h"

#include <algorithm>
#include <array>

#include "app/model/explanation/facts.h"

namespace headway::model {
namespace {

constexpr std::array<const char*, kSentenceKinds> kKindWords{"incomplete",
                                                             "damaged",
                                                             "overflowed",
                                                             "no_ops",
                                                             "execution_bound",
                                                             "issue_bound",
                                                             "frontend_bound",
                                                             "dependency_bound",
                                                             "about_equal",
                                                             "barrier_bound",
                                                             "blocker_bound",
                                                             "mixed",
                                                             "time_until_end",
                                                             "recorded_time",
                                                             "all_issued",
                                                             "ahead",
                                                             "never_ahead",
                                                             "unfinished",
                                                             "never_waited",
                                                             "one_wait",
                                                             "many_waits",
                                                             "inherited_wait",
                                                             "policy_barriers",
                                                             "framework_barriers",
                                                             "without_barriers",
                                                             "without_blockers",
                                                             "queue_limit",
                                                             "queue_full",
                                                             "memory_waits",
                                                             "memory_peak",
                                                             "memory_pending",
                                                             "memory_budget",
                                                             "lanes_overlap",
                                                             "no_overlap",
                                                             "devices_overlap",
                                                             "copies_overlap",
                                                             "idle",
                                                             "races",
                                                             "bounded_ops",
                                                             "busy_machine",
                                                             "late_handovers",
                                                             "late_returns",
                                                             "recording_waits",
                                                             "folded",
                                                             "pauses",
                                                             "unfinished_before",
                                                             "warm_up",
                                                             "formula"};
constexpr std::array kRowWords{"run", "frontend", "headway", "lane", "memory"};
constexpr std::array kUnitWords{"ns", "bytes", "count", "share", "line"};
constexpr std::size_t kEnough = 4;  // fillers are shown only if there are fewer sentences than this

}  // namespace

const char* word_of(SentenceKind kind) {
    return kKindWords[static_cast<std::size_t>(kind)];
}
const char* word_of(Place::Row row) {
    return kRowWords[static_cast<std::size_t>(row)];
}
const char* word_of(Unit unit) {
    return kUnitWords[static_cast<std::size_t>(unit)];
}

Explanation explain(const Run& run, const Numbers& numbers) {
    const Facts facts(run, numbers);
    Candidates candidates;
    add_time(facts, candidates);
    const bool sums_are_known = has_all_records(run);
    if (sums_are_known) {
        add_headway(facts, candidates);
        add_waits(facts, candidates);
        add_memory(facts, candidates);
        add_lanes(facts, candidates);
        add_races(facts, candidates);
        add_remarks(facts, candidates);
    }
    std::vector<std::size_t> order(candidates.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return candidates[a].rank < candidates[b].rank; });
    std::size_t said = 0;
    while (said < std::min(order.size(), kMostSentences) &&
           (candidates[order[said]].rank < kFiller || said < kEnough)) {
        ++said;
    }
    order.resize(said);
    std::sort(order.begin(), order.end());
    Explanation explanation;
    for (const std::size_t i : order) {
        explanation.sentences.push_back(std::move(candidates[i].sentence));
    }
    if (sums_are_known && numbers.ops > 0) {
        explanation.bar = time_bar(numbers);
    }
    return explanation;
}

}  // namespace headway::model
