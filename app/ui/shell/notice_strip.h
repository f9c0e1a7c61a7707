// Notices over the timeline: errors, and where a file was written.
#pragma once

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Draws the notices from `at` down, over what is there.
void draw_notices(AppState& state, Ui& ui, ImVec2 at, float width);

}  // namespace headway::ui
