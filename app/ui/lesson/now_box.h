// While a run is stepped, held or replayed: what goes on in one sentence, and what to press.
#pragma once

#include <string>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

struct NowText {
    std::string sentence, hint;  // both empty: nothing to say
};
// Of run B, at the replayed moment, else now.
NowText now_text(AppState& state);

// Draws from `at` down; returns the height, 0 if there is nothing to say.
float draw_now_box(AppState& state, Ui& ui, ImVec2 at, float width);

}  // namespace headway::ui
