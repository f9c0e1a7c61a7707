// The chapter's formulas as a picture: N ops with a wait for each and with one wait, op by op on one time axis; under
// each its formula as bars; and a curve of both totals over one of the stages' values.
//
// Threads: any.
#pragma once

#include <string>

#include "app/model/numbers/stages.h"
#include "app/render/display_list.h"
#include "app/render/theme.h"
#include "engine/core/result.h"

namespace headway::figure {

// What the curve is swept over.
enum class StageValue { ops, lanes, t1, h, t2, t3 };
inline constexpr int kStageValues = 6;
[[nodiscard]] const char* symbol_of(StageValue value);   // "N", "S", "t₁"
[[nodiscard]] const char* meaning_of(StageValue value);  // "ops", "issue"
[[nodiscard]] double value_of(const model::Stages& stages, StageValue value);
// Counts are rounded, and at least 1; times are at least 0.
[[nodiscard]] model::Stages with(model::Stages stages, StageValue value, double to);
// "8", "5.00 µs"
[[nodiscard]] std::string text_of(StageValue value, double number);

struct FormulaOptions {
    Box area;  // in px
    const Theme* theme = nullptr;
    const TextMeasure* measure = nullptr;
    float scale = 1;
    StageValue swept = StageValue::t2;
    double swept_least = 0, swept_most = 1;  // the ends of the curve's axis
};

DisplayList draw_formula(const model::Stages& stages, const FormulaOptions& options);

// Which side is the longer one, what that means, and what waiting once saves; with the numbers.
[[nodiscard]] std::string formula_sentence(const model::Stages& stages);

// A whole page with title and sentence, for a file.
DisplayList formula_figure(const model::Stages& stages, const FormulaOptions& options);
// Writes it in the format of the path's extension: .png (at `scale`), .svg or .pdf. Of the options only those of the
// curve count.
core::Result<void> write_formula(const std::string& path, const model::Stages& stages, FormulaOptions options,
                                 ThemeName theme, float scale = 2);

}  // namespace headway::figure
