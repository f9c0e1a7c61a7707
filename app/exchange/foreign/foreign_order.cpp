#include "app/exchange/foreign/foreign_order.h"

namespace headway::exchange {

void keep_apart(std::vector<model::Work>& works, const std::vector<model::Wait>& waits) {
    one_at_a_time(works, &model::Work::begin_ns, &model::Work::end_ns);
    for (model::Work& work : works) {
        auto wait = std::upper_bound(waits.begin(), waits.end(), work.begin_ns,
                                     [](std::int64_t ns, const model::Wait& w) { return ns < w.end_ns; });
        if (wait != waits.end() && wait->begin_ns <= work.begin_ns) {
            work.begin_ns = wait->end_ns;
            ++wait;
        }
        if (wait != waits.end()) {
            work.end_ns = std::min(work.end_ns, wait->begin_ns);
        }
    }
    std::erase_if(works, [](const model::Work& work) { return work.end_ns <= work.begin_ns; });
}

std::size_t warm_up_steps(const std::vector<model::Minibatch>& steps) {
    constexpr std::int64_t kTimesMedian = 2;
    const auto length_ns = [&steps](std::size_t i) { return steps[i].issue_end_ns - steps[i].issue_begin_ns; };
    const auto ops = [&steps](std::size_t i) { return std::int64_t{steps[i].last} + 1 - steps[i].first; };
    const auto median_behind = [&steps](std::size_t i, auto of) {
        std::vector<std::int64_t> behind;
        for (++i; i < steps.size(); ++i) {
            behind.push_back(of(i));
        }
        const auto middle = behind.begin() + static_cast<std::ptrdiff_t>((behind.size() - 1) / 2);
        std::nth_element(behind.begin(), middle, behind.end());
        return *middle;
    };
    std::size_t first = 0;
    while (first + 1 < steps.size() && length_ns(first) / kTimesMedian > median_behind(first, length_ns) &&
           ops(first) / kTimesMedian <= median_behind(first, ops)) {
        ++first;
    }
    return first;
}

}  // namespace headway::exchange
