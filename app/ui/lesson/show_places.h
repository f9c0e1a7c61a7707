// Zooms to what a sentence or a link points at.
#pragma once

#include <vector>

#include "app/model/explanation/explanation.h"
#include "app/ui/state/view/view_control.h"

namespace headway::ui {

// The range of all places, of which there is at least one, in the run shown on top; the whole view if that is about the
// whole run.
void show_places(ViewControl& view, const model::Run& run, const std::vector<model::Place>& places);

}  // namespace headway::ui
