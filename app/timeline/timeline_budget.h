// The memory budget in a memory row: a dashed line, and a label that is drawn over the curve.
//
// Threads: as layout_timeline().
#pragma once

#include <cfloat>
#include <optional>
#include <vector>

#include "app/timeline/timeline_rows.h"

namespace headway::figure {

struct BudgetLabel {
    Text text;
    Box box;  // with room for a ground
};

inline constexpr float kBudgetFarAbove = -FLT_MAX;  // instead of the line's y: there is no line

// Draws the line and adds to `taken` what the line and the label cover. The label stands at the right, above the line.
// If it has to stand where the curve is, it is at the left if the curve's peak (x `peak_px`) is near the right end.
// Empty if there is no room for it.
std::optional<BudgetLabel> draw_budget_line(const RowPen& pen, const RowBox& row, float line_y, float peak_px,
                                            std::vector<Box>& taken);

}  // namespace headway::figure
