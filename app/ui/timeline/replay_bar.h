// The bar below the timeline with which a run is replayed: step, play, scrub, speed.
#pragma once

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class ReplayBar {
public:
    ReplayBar(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    static constexpr float kHeight = 40;  // design pixels
    void draw(ImVec2 min, ImVec2 max);

private:
    bool put(float& x, float y, const char* id, const char* label, const char* help, const char* command,
             bool selected = false, char icon = 0);
    void draw_track(float left, float right, float middle);

    AppState& state_;
    Ui& ui_;
};

}  // namespace headway::ui
