#include "app/model/numbers/regime.h"

#include <algorithm>
#include <cmath>

namespace headway::model {

void choose_regime(Numbers& numbers, std::int64_t bound_wait_ns) {
    // Time after the frontend's last record is without a name, and no issue.
    const std::int64_t own_ns = numbers.frontend.work_ns + numbers.frontend.unnamed_ns;
    const Regime frontend = own_ns > numbers.frontend.issue_ns ? Regime::frontend_bound : Regime::issue_bound;
    struct Side {
        Regime regime;
        std::int64_t ns;
    };
    // On one lane a chain cannot be longer than the lane's busy time; if they are equal, report the lane.
    const Side lane{Regime::execution_bound, numbers.busiest_lane_ns};
    const Side chain{Regime::dependency_bound, numbers.longest_chain_ns};
    const Side backend = static_cast<double>(chain.ns) > static_cast<double>(lane.ns) * (1 + kEvenShare) ? chain : lane;
    const Side front{frontend, numbers.frontend_ns};
    const Side largest = backend.ns >= front.ns ? backend : front;
    const bool bound = static_cast<double>(largest.ns) >=
                       kBoundShare * static_cast<double>(std::max<std::int64_t>(numbers.total_ns, 1));
    const bool waits = bound_wait_ns > 0 && backend.ns > 0;
    numbers.regime = bound || !waits ? largest.regime : Regime::barrier_bound;
    const auto apart = static_cast<double>(std::abs(backend.ns - front.ns));
    numbers.regime_even = numbers.regime != Regime::barrier_bound && numbers.ops > 0 &&
                          apart <= kEvenShare * static_cast<double>(largest.ns);
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
        case Regime::barrier_bound:
            return "barrier-bound";
    }
    return "";
}

const char* regime_word(const Numbers& numbers) {
    return !numbers.predicted || numbers.cut_off || numbers.ops == 0 ? ""
           : numbers.regime_even                                     ? "about equal"
                                                                     : word_of(numbers.regime);
}

}  // namespace headway::model
