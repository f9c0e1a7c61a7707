// Draws a display list of app/figure with Dear ImGui.
#pragma once

#include "app/figure/display_list.h"
#include "app/ui/ui_context.h"

namespace headway::ui {

// The list's pixels are the window's, shifted by `offset`.
void paint(const figure::DisplayList& list, ImDrawList* to, gfx::Fonts& fonts, ImVec2 offset = {0, 0});

}  // namespace headway::ui
