#include "app/timeline/timeline_budget.h"

#include <algorithm>
#include <utility>

#include "app/render/format.h"

namespace headway::figure {

std::optional<BudgetLabel> draw_budget_line(const RowPen& pen, const RowBox& row, float line_y, float peak_px,
                                            std::vector<Box>& taken) {
    const float size = pen.px(pen.style().annotation_px), left = pen.map().x0(), right = pen.map().x1();
    const bool within = line_y != kBudgetFarAbove;
    const float y = within ? line_y : row.content.y0;
    if (within) {
        pen.list().add(Line{{left, y}, {right, y}, pen.theme().wait, pen.line_px(1.4F), pen.px(6), pen.px(4)});
    }
    Text label{{right - pen.px(4), within ? y - pen.px(4) : y + size * kCapHeightEm},
               "budget " + budget_in_both_units(pen.run.info().budget) + (within ? "" : ", far above"),
               pen.theme().wait_text,
               size,
               FontRole::ui_semibold,
               Anchor::end};
    Box box = box_of(label, *pen.options.measure);
    const bool below = within && box.y0 < row.box.y0;  // no room above the line
    if (below) {
        label.baseline.y = y + size * kCapHeightEm + pen.px(5);
    }
    if ((below || !within) && peak_px > (left + right) / 2 && peak_px > box.x0 - pen.px(12)) {
        label.baseline.x = left + pen.px(6);
        label.anchor = Anchor::start;
    }
    box = box_of(label, *pen.options.measure);
    if (within) {
        taken.push_back({left, y - pen.px(2), right, y + pen.px(2)});
    }
    if (box.width() >= right - left) {
        return std::nullopt;
    }
    taken.push_back({box.x0, std::min(box.y0, y - pen.px(2)), box.x1, std::max(box.y1, y + pen.px(2))});
    return BudgetLabel{std::move(label), {box.x0 - pen.px(3), box.y0, box.x1 + pen.px(3), box.y1}};
}

}  // namespace headway::figure
