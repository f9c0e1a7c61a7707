#include "app/ui/comparison.h"

#include <algorithm>
#include <cmath>

#include "app/figure/format.h"

namespace headway::ui {

namespace {

using session::Execution;
using session::Phase;

bool complete(const Execution& e) {
    return e.phase() == Phase::finished || e.phase() == Phase::recorded;
}

// What keeps the two from being the same experiment but for its policies; "" when nothing does.
std::string difference(const session::Settings& a, const session::Settings& b) {
    if (a.program != b.program) {
        return "A and B are different programs";
    }
    if (a.parameters != b.parameters) {
        return "A and B have different parameters";
    }
    if (a.device != b.device) {
        return "A and B ran on different devices";
    }
    return {};
}

}  // namespace

std::string short_barrier_label(trace::BarrierPolicy policy) {
    switch (policy.kind) {
        case trace::BarrierKind::none:
            return "no barrier";
        case trace::BarrierKind::op:
            return "every op";
        case trace::BarrierKind::minibatch:
            return "minibatch";
        case trace::BarrierKind::behind:
            return std::to_string(policy.behind) + " behind";
        case trace::BarrierKind::as_written:
            break;
    }
    return "as written";
}

Verdict compare(const Execution& a, const Execution& b) {
    Verdict verdict;
    if (a.live() || b.live() || a.run() == nullptr || b.run() == nullptr) {
        return verdict;
    }
    if (!complete(a) || !complete(b)) {
        verdict.time = complete(a) ? "B did not finish" : complete(b) ? "A did not finish" : "neither finished";
        verdict.time_tone = Verdict::Tone::bad;
        return verdict;
    }
    verdict.time = difference(a.settings, b.settings);
    if (!verdict.time.empty()) {
        return verdict;
    }
    if (a.numbers().paused_ns > 0 || b.numbers().paused_ns > 0) {
        verdict.time = b.numbers().paused_ns > 0 ? "B was paused or stepped" : "A was paused or stepped";
        return verdict;
    }
    const auto total_a = static_cast<double>(a.numbers().total_ns), total_b = static_cast<double>(b.numbers().total_ns);
    if (total_a <= 0 || total_b <= 0) {
        return verdict;
    }
    const bool a_first = total_a <= total_b;
    const double slow = std::max(total_a, total_b), fast = std::min(total_a, total_b);
    const std::string faster = a_first ? "A" : "B";
    bool even = false;
    if (slow / fast < 1.02) {
        verdict.time = "A and B take equally long";
        even = true;
    } else {
        verdict.time = slow / fast >= 2 ? faster + " is " + figure::times_text(slow / fast) + " as fast"
                                        : faster + " is " + figure::percent_text(1 - fast / slow) + " faster";
        verdict.time_tone = Verdict::Tone::good;
    }
    // Memory is told of the faster one, so that the two lines are one sentence.
    const auto bytes_a = static_cast<double>(a.numbers().live_bytes_peak),
               bytes_b = static_cast<double>(b.numbers().live_bytes_peak);
    if (!a.numbers().told.memory || !b.numbers().told.memory || bytes_a <= 0 || bytes_b <= 0) {
        return verdict;
    }
    const double mine = a_first ? bytes_a : bytes_b, other = a_first ? bytes_b : bytes_a;
    const std::string who = even ? "and " + faster : std::string("and");
    const bool both = a.run()->devices().size() > 1 || b.run()->devices().size() > 1;
    const std::string where = both ? " on both devices" : "";
    if (std::max(mine, other) / std::min(mine, other) < 1.05) {
        verdict.memory = (even ? "and need as much memory" : "and needs as much memory") + where;
    } else if (mine > other) {
        verdict.memory = who + " needs " + figure::times_text(mine / other) + " the memory" + where;
        verdict.memory_tone = Verdict::Tone::bad;
    } else {
        verdict.memory = who + " needs " + figure::percent_text(mine / other) + " of the memory" + where;
        verdict.memory_tone = Verdict::Tone::good;
    }
    return verdict;
}

}  // namespace headway::ui
