// What the timeline's colours, hatches and shapes mean, over the window.
#pragma once

#include "app/gfx/layer.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Draws nothing unless `shown`. A click closes it. `layer` belongs to the card.
void draw_legend_card(Ui& ui, gfx::Layer& layer, bool& shown);

}  // namespace headway::ui
