// Predicted and each named part of the difference to the measured time, as a bar.
#pragma once

#include "app/model/explanation/explanation.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Shares of the longer of predicted and measured. A negative part is an outline inside what comes before it.
void draw_time_bar(Ui& ui, ImDrawList* list, ImVec2 at, float width, float height, const model::TimeBar& bar);
// The bar, and under it a line for each part and for their sum. Returns the height.
float draw_time_bar_with_parts(Ui& ui, ImDrawList* list, ImVec2 at, float width, const model::TimeBar& bar);

}  // namespace headway::ui
