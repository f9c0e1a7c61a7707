// Draws a display list of app/figure into a layer: shapes by our shaders, text and slanted lines by Dear ImGui.
#pragma once

#include "app/gfx/layer.h"
#include "app/render/display_list.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// The list's pixels are the window's, shifted by `offset`. The layer has begun. Everything lies in the list's order,
// but for its text, which is never under its shapes.
void paint(const figure::DisplayList& list, gfx::Layer& to, gfx::Fonts& fonts, ImVec2 offset = {0, 0});

}  // namespace headway::ui
