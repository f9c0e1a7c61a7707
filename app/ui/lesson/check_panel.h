// The checks of an exercise: what holds, what does not and why, and hints one after another.
#pragma once

#include <cstddef>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class CheckPanel {
public:
    CheckPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    // Draws from ImGui's cursor down, and moves the cursor below. Nothing for a lesson.
    void draw(float width);

private:
    float draw_check(std::size_t index, ImVec2 at, float width);

    AppState& state_;
    Ui& ui_;
};

}  // namespace headway::ui
