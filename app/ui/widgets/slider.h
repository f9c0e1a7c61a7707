// A slider: a track with a knob.
#pragma once

#include <optional>
#include <string>

#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// `share` is the knob's place, from 0 to 1. Returns the new one while the slider is dragged. The knob's middle is on
// the line of height `at.y`; the track reaches from at.x to at.x + width.
std::optional<double> slider(Ui& ui, const std::string& id, ImVec2 at, float width, double share, figure::Rgba ink);

}  // namespace headway::ui
