// Notices over the timeline: errors, and where a file was written. While the timeline shows what a link or sentence
// points at, they are over the source instead.
#pragma once

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Draws the notices from `at` down, over what is there.
void draw_notices(AppState& state, Ui& ui, ImVec2 at, float width);
// The height of all of them at this width.
[[nodiscard]] float height_of_notices(AppState& state, Ui& ui, float width);

}  // namespace headway::ui
