// Draws a display list (app/render) into a layer: shapes with our shaders, text and slanted lines with Dear ImGui.
#pragma once

#include "app/gfx/layer.h"
#include "app/render/display_list.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// The list's coordinates are window pixels, shifted by `offset`. begin() has been called on the layer. Items are drawn
// in the list's order, except that text is never below shapes.
void paint(const figure::DisplayList& list, gfx::Layer& to, gfx::Fonts& fonts, ImVec2 offset = {0, 0});

}  // namespace headway::ui
