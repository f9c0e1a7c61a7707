#include "app/model/numbers/regime.h"

#include <algorithm>
#include <cmath>

#include "app/model/replay/replay.h"

namespace headway::model {
namespace {

bool at_least(std::int64_t ns, double share, std::int64_t of_ns) {
    return static_cast<double>(ns) >= share * static_cast<double>(of_ns);
}

// The side that needs at least this share of the time without imports; mixed: none does. With `clearly` it must also
// need clearly more than the other side.
Regime side_of(const Numbers& numbers, std::int64_t imports_ns, double share, bool clearly) {
    // Unnamed time counts as own work, not as issuing.
    const FrontendTime& time = numbers.frontend;
    const std::int64_t own_ns = time.work_ns + time.unnamed_ns - time.unknown_ns - imports_ns;
    struct Side {
        Regime regime;
        std::int64_t ns;
    };
    // On one lane a chain cannot be longer than the lane's busy time; if they are equal, report the lane.
    const Side lane{Regime::execution_bound, numbers.busiest_lane_ns};
    const Side chain{Regime::dependency_bound, numbers.longest_chain_ns};
    const Side backend = static_cast<double>(chain.ns) > static_cast<double>(lane.ns) * (1 + kEvenShare) ? chain : lane;
    const Side front{own_ns > time.issue_ns ? Regime::frontend_bound : Regime::issue_bound,
                     std::max<std::int64_t>(numbers.frontend_ns - imports_ns, 0)};
    const Side largest = backend.ns >= front.ns ? backend : front;
    if (!at_least(largest.ns, share, std::max<std::int64_t>(numbers.total_ns - imports_ns, 1)) ||
        (clearly && !at_least(largest.ns, kClearlyMore, std::min(backend.ns, front.ns)))) {
        return Regime::mixed;
    }
    const auto apart = static_cast<double>(std::abs(backend.ns - front.ns));
    return apart <= kEvenShare * static_cast<double>(largest.ns) ? Regime::about_equal : largest.regime;
}

std::unique_ptr<Replay> replay_without(const Run& run, std::function<bool(std::size_t)> is_left_out) {
    const Run::Measured part = run.measured();
    for (std::size_t i = part.first_wait; i < part.waits_end; ++i) {
        if (is_left_out(i)) {
            return std::make_unique<Replay>(run,
                                            Replay::Options{std::move(is_left_out), nullptr, nullptr, nullptr, false});
        }
    }
    return nullptr;
}

}  // namespace

std::int64_t imports_before_ops_ns(const Run& run) {
    const Run::Measured part = run.measured();
    if (part.first > run.op_count()) {
        return 0;
    }
    const std::int64_t first_op_ns = run.op(part.first).issue_begin_ns;
    std::int64_t ns = 0;
    for (const Work& work : run.works()) {
        if (work.begin_ns >= first_op_ns) {
            break;
        }
        if (work.name == "import") {
            ns +=
                std::max<std::int64_t>(std::min(work.end_ns, part.end_ns) - std::max(work.begin_ns, part.begin_ns), 0);
        }
    }
    return ns;
}

RegimeWalk::RegimeWalk(const Run& run, Numbers& numbers)
    : run_(run), numbers_(numbers), imports_ns_(imports_before_ops_ns(run)) {
    numbers_.regime = side_of(numbers_, imports_ns_, kBoundShare, false);
    bound_by_a_side_ = numbers_.regime != Regime::mixed;
    if (!bound_by_a_side_ && numbers_.capabilities.tensors) {
        no_barriers_ = replay_without(run_, barriers_of(run_));
        no_blockers_ = replay_without(run_, blockers_of(run_));
    }
}

RegimeWalk::~RegimeWalk() = default;

bool RegimeWalk::step(double budget_ms) {
    if (bound_by_a_side_) {
        return false;
    }
    // The learner's holds do not count as a cost of the waits.
    const std::int64_t total_ns = numbers_.total_ns - numbers_.held_ns;
    for (auto [replay, cost_ns] :
         {std::pair{&no_barriers_, &barriers_cost_ns_}, std::pair{&no_blockers_, &blockers_cost_ns_}}) {
        if (*replay != nullptr) {
            if ((*replay)->step(budget_ms)) {
                return true;
            }
            *cost_ns = total_ns - (*replay)->total_ns();
            replay->reset();
            if (budget_ms > 0) {
                return true;
            }
        }
    }
    const auto caused = [&](std::int64_t cost_ns, std::int64_t other_ns) {
        return cost_ns > 0 && at_least(cost_ns, kWaitShare, total_ns - imports_ns_) &&
               at_least(cost_ns, kClearlyMore, other_ns);
    };
    numbers_.regime = !numbers_.capabilities.tensors                 ? Regime::unknown
                      : caused(barriers_cost_ns_, blockers_cost_ns_) ? Regime::barrier_bound
                      : caused(blockers_cost_ns_, barriers_cost_ns_) ? Regime::blocker_bound
                                                                     : side_of(numbers_, imports_ns_, kMostShare, true);
    return false;
}

const char* word_of(Regime regime) {
    switch (regime) {
        case Regime::execution_bound:
            return "execution-bound";
        case Regime::issue_bound:
            return "issue-bound";
        case Regime::frontend_bound:
            return "frontend-bound";
        case Regime::dependency_bound:
            return "dependency-bound";
        case Regime::about_equal:
            return "about equal";
        case Regime::barrier_bound:
            return "barrier-bound";
        case Regime::blocker_bound:
            return "blocker-bound";
        case Regime::mixed:
            return "mixed";
        case Regime::unknown:
            break;
    }
    return "";
}

const char* regime_word(const Numbers& numbers) {
    return !numbers.predicted || numbers.cut_off || numbers.ops == 0 ? "" : word_of(numbers.regime);
}

}  // namespace headway::model
