// The stages that the formula's view shows, which the learner changes with sliders.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <string>

#include "app/figure/formula.h"
#include "app/model/description/numbers.h"
#include "app/model/numbers/format.h"

namespace headway::ui {

struct FormulaState {
    // As many as can be told apart in the drawing; a run's are limited to kOpsOfRun.
    static constexpr int kMostOps = 40, kMostLanes = 4, kOpsOfRun = 12;

    bool shown = false;
    model::Stages stages{8, 1, 5'000, 0, 8'000, 3'000};
    double most_ns = 20'000;  // the sliders' end
    std::string origin;       // where the values came from: "the medians of this run"; empty: nowhere
    figure::StageValue swept = figure::StageValue::t2;

    // Whether the numbers of a run can be taken over: the chapter's formula explains it.
    [[nodiscard]] static bool fits(const model::Numbers& numbers) { return !numbers.prediction_formula.empty(); }
    void take(const model::Numbers& numbers);
    // The least and the most that a slider or the curve's axis goes to.
    [[nodiscard]] double least_of(figure::StageValue value) const;
    [[nodiscard]] double most_of(figure::StageValue value) const;
    // To a step of the slider, within its limits.
    void set(figure::StageValue value, double to);
    // The step of a slider: a hundredth of a time's range, or one.
    [[nodiscard]] double step_of(figure::StageValue value) const;
};

}  // namespace headway::ui
