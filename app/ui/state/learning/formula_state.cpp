#include "app/ui/state/learning/formula_state.h"

#include <algorithm>
#include <cmath>

namespace headway::ui {
namespace {

using figure::StageValue;

bool is_count(StageValue value) {
    return value == StageValue::ops || value == StageValue::lanes;
}

// The smallest 1, 2 or 5 times a power of ten that is not less.
double round_up(double ns) {
    const double power = std::pow(10, std::floor(std::log10(std::max(ns, 1.0))));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= ns) {
            return factor * power;
        }
    }
    return 10 * power;
}

}  // namespace

void FormulaState::take(const model::Numbers& numbers) {
    stages.ops = static_cast<int>(std::clamp<std::uint64_t>(numbers.ops, 1, kOpsOfRun));
    stages.lanes = 1;  // the formula is about one lane
    stages.t1_ns = numbers.t1_ns;
    stages.h_ns = static_cast<double>(numbers.h_ns);
    stages.t2_ns = numbers.t2_ns;
    stages.t3_ns = numbers.t3_ns;
    most_ns = round_up(1.5 * std::max({stages.t1_ns, stages.h_ns, stages.t2_ns, stages.t3_ns}));
    origin = "the medians of this run";
    if (numbers.ops > kOpsOfRun) {
        origin += ", with " + std::to_string(kOpsOfRun) + " ops in place of its " + model::count_text(numbers.ops);
    }
}

double FormulaState::least_of(StageValue value) const {
    return is_count(value) ? 1 : 0;
}

double FormulaState::most_of(StageValue value) const {
    return value == StageValue::ops ? kMostOps : value == StageValue::lanes ? kMostLanes : most_ns;
}

double FormulaState::step_of(StageValue value) const {
    return is_count(value) ? 1 : most_ns / 400;
}

void FormulaState::set(StageValue value, double to) {
    const double step = step_of(value);
    stages = with(stages, value, std::clamp(std::round(to / step) * step, least_of(value), most_of(value)));
    origin.clear();
}

}  // namespace headway::ui
