// Zooms to what a sentence or a link points at.
#pragma once

#include <vector>

#include "app/model/explanation/explanation.h"
#include "app/ui/state/view/view_control.h"

namespace headway::ui {

// `places`: at least one, in `run`, which is shown on top. Shows the range from the first to the last of them, and the
// whole view if that covers the measured part.
void show_places(ViewControl& view, const model::Run& run, const std::vector<model::Place>& places);

}  // namespace headway::ui
