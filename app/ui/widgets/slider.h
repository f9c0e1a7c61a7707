// A slider: a track with a knob.
#pragma once

#include <optional>
#include <string>

#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Places on the track are from 0, its left end, to 1.
struct SliderLook {
    figure::Rgba ink;
    bool set = true;     // else the knob is hollow: no value yet, or off
    bool filled = true;  // the track has the ink left of the knob
    struct Range {
        double from = 0, middle = 0, to = 0;
    };
    std::optional<Range> right = {};  // the right answer, drawn under the knob
};

// `share` is the knob's place. Returns the new one while the slider is dragged. The knob's middle is on the line of
// height `at.y`; the track reaches from at.x to at.x + width, and the knob half its width beyond.
std::optional<double> slider(Ui& ui, const std::string& id, ImVec2 at, float width, double share,
                             const SliderLook& look);

}  // namespace headway::ui
