// What went wrong, or where a file went, in sentences above the timeline.
#pragma once

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// From `at` down; returns the height that it took.
float draw_notices(AppState& state, Ui& ui, ImVec2 at, float width);

}  // namespace headway::ui
